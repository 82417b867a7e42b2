import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { ConfigError } from "./access-errors.ts";
import type { ClusterAccess } from "./cluster-access.ts";
import { type Kubeconfig, readKubeconfig, readKubeconfigs } from "./kubeconfig.ts";
import { resolveContext } from "./kubeconfig-context.ts";

/** Where the kubelet mounts the service account of a pod. */
const SERVICE_ACCOUNT_DIRECTORY = "/var/run/secrets/kubernetes.io/serviceaccount";

/** Options of `loadClusterAccess`. */
export interface ClusterAccessOptions {
  /** A path, or the content of a kubeconfig. Default: the files in KUBECONFIG, else the service account of the pod, else ~/.kube/config. */
  readonly kubeconfig?: string | Kubeconfig | undefined;
  /** Default: the current context. With a context, the service account of the pod is not used. */
  readonly context?: string | undefined;
  /** Default: `process.env`. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** Default: the home directory of the user. */
  readonly homeDirectory?: string | undefined;
  /** Default: /var/run/secrets/kubernetes.io/serviceaccount. */
  readonly serviceAccountDirectory?: string | undefined;
}

/**
 * Loads the cluster access from a kubeconfig or the service account of the pod, in the order of kubectl. Reads files and sends no request.
 * Throws `ConfigError` if there is none or it is invalid.
 *
 * @example
 * ```ts
 * import { createTransport, loadClusterAccess } from "pintle/client";
 *
 * const access = await loadClusterAccess({ context: "staging" });
 * const transport = await createTransport(access);
 * console.log(access.server, access.namespace);
 * await transport.close();
 * ```
 */
export async function loadClusterAccess(options: ClusterAccessOptions = {}): Promise<ClusterAccess> {
  const {
    kubeconfig,
    context,
    env = process.env,
    homeDirectory = homedir(),
    serviceAccountDirectory = SERVICE_ACCOUNT_DIRECTORY,
  } = options;
  if (typeof kubeconfig === "object") return resolveContext(kubeconfig, context, "the given kubeconfig");
  if (kubeconfig !== undefined)
    return resolveContext(requireKubeconfig(await readKubeconfig(kubeconfig), kubeconfig), context, `kubeconfig ${kubeconfig}`);

  const list = env["KUBECONFIG"];
  if (list) return resolveContext(requireKubeconfig(await readKubeconfigs(list), list), context, `KUBECONFIG=${list}`);

  const pod = context === undefined ? await loadInClusterAccess(env, serviceAccountDirectory) : undefined;
  if (pod !== undefined) return pod;

  const path = join(homeDirectory, ".kube", "config");
  const found = await readKubeconfig(path);
  if (found === undefined) {
    throw new ConfigError(
      "PINTLE1001",
      `no cluster is configured: KUBECONFIG is not set, this process does not run in a pod with a service account, and there is no ${path}`,
    );
  }
  return resolveContext(found, context, `kubeconfig ${path}`);
}

function requireKubeconfig(config: Kubeconfig | undefined, path: string): Kubeconfig {
  if (config === undefined) throw new ConfigError("PINTLE1002", `kubeconfig ${path} does not exist`);
  return config;
}

/** Returns the access of a pod to its own cluster; undefined outside of a pod. */
async function loadInClusterAccess(
  env: Readonly<Record<string, string | undefined>>,
  directory: string,
): Promise<ClusterAccess | undefined> {
  const host = env["KUBERNETES_SERVICE_HOST"];
  const port = env["KUBERNETES_SERVICE_PORT"];
  if (!host || !port) return undefined;
  const tokenFile = join(directory, "token");
  if ((await readOptionalFile(tokenFile)) === undefined) return undefined;
  return {
    server: `https://${host.includes(":") ? `[${host}]` : host}:${port}`,
    namespace: (await readOptionalFile(join(directory, "namespace")))?.trim() || undefined,
    ca: { file: join(directory, "ca.crt") },
    user: { tokenFile },
  };
}

async function readOptionalFile(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch {
    return undefined;
  }
}
