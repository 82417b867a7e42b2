import { writeFile } from "node:fs/promises";
import path from "node:path";

const ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount";

/**
 * Where a pod has no file system of its own, clients do not find its service account at the usual place. They are told
 * by a kubeconfig instead, which leads to the same files. Gives the variable that names it.
 */
export async function accountConfig(
  mounts: readonly { readonly path: string; readonly source: string }[],
  env: Readonly<Record<string, string>>,
  folder: string,
  namespace: string,
): Promise<Readonly<Record<string, string>>> {
  const account = mounts.find((mount) => mount.path === ACCOUNT)?.source;
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port, KUBECONFIG: own } = env;
  if (account === undefined || host === undefined || port === undefined || own !== undefined) return {};
  const config = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "pod", cluster: { server: `https://${host}:${port}`, "certificate-authority": path.join(account, "ca.crt") } }],
    users: [{ name: "pod", user: { tokenFile: path.join(account, "token") } }],
    contexts: [{ name: "pod", context: { cluster: "pod", user: "pod", namespace } }],
    "current-context": "pod",
  };
  const file = path.join(folder, "kubeconfig");
  await writeFile(file, JSON.stringify(config));
  return { KUBECONFIG: file };
}
