import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Access } from "./access.ts";

/** Where every pod finds its service account. */
export const SERVICE_ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount";

/** What a pod is told about its own cluster; undefined outside of one. */
export async function inCluster(env: Readonly<Record<string, string | undefined>>, folder: string): Promise<Access | undefined> {
  const host = env["KUBERNETES_SERVICE_HOST"];
  const port = env["KUBERNETES_SERVICE_PORT"];
  if (!host || !port) return undefined;
  const tokenFile = join(folder, "token");
  if ((await text(tokenFile)) === undefined) return undefined;
  return {
    server: `https://${host.includes(":") ? `[${host}]` : host}:${port}`,
    namespace: (await text(join(folder, "namespace")))?.trim() || undefined,
    ca: { file: join(folder, "ca.crt") },
    user: { tokenFile },
  };
}

async function text(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch {
    return undefined;
  }
}
