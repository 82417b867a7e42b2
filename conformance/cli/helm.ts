import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

/** The helm version that renders charts in tests. */
export const HELM = { module: "helm.sh/helm/v3", version: "v3.22.0", program: "helm.sh/helm/v3/cmd/helm" } as const;

/** The path of the helm that `node --import tsx conformance/cli/build-helm.ts` builds. */
export function helmFile(env: NodeJS.ProcessEnv = process.env): string {
  return join(env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "pintle", "helm", HELM.version, "helm");
}

/** The path of helm; undefined if it is not built. */
export function helm(): string | undefined {
  const file = helmFile();
  return existsSync(file) ? file : undefined;
}
