import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

/** The helm that judges charts. */
export const HELM = { module: "helm.sh/helm/v3", version: "v3.22.0", program: "helm.sh/helm/v3/cmd/helm" } as const;

/** Where `node --import tsx conformance/cli/build-helm.ts` puts it. */
export function helmFile(env: NodeJS.ProcessEnv = process.env): string {
  return join(env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "pintle", "helm", HELM.version, "helm");
}

/** Undefined when nobody has built it yet. */
export function helm(): string | undefined {
  const file = helmFile();
  return existsSync(file) ? file : undefined;
}
