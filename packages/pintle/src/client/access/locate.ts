import { homedir } from "node:os";
import { join } from "node:path";
import type { Access } from "./access.ts";
import { ConfigError } from "./config-error.ts";
import { contextOf } from "./context.ts";
import { inCluster, SERVICE_ACCOUNT } from "./in-cluster.ts";
import { type Kubeconfig, readKubeconfig, readKubeconfigs } from "./kubeconfig.ts";

export interface LocateOptions {
  /** A path, or a kubeconfig itself. Default: what KUBECONFIG lists, else the pod this runs in, else ~/.kube/config. */
  readonly kubeconfig?: string | Kubeconfig | undefined;
  /** Default: the current context. Naming one skips the pod this runs in. */
  readonly context?: string | undefined;
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  readonly home?: string | undefined;
  readonly serviceAccount?: string | undefined;
}

/** Where the cluster is and who is asking. Reads files; contacts nobody. */
export async function locate(options: LocateOptions = {}): Promise<Access> {
  const { kubeconfig, context, env = process.env, home = homedir(), serviceAccount = SERVICE_ACCOUNT } = options;
  if (typeof kubeconfig === "object") return contextOf(kubeconfig, context, "the kubeconfig given");
  if (kubeconfig !== undefined)
    return contextOf(existing(await readKubeconfig(kubeconfig), kubeconfig), context, `kubeconfig ${kubeconfig}`);

  const list = env["KUBECONFIG"];
  if (list) return contextOf(existing(await readKubeconfigs(list), list), context, `KUBECONFIG=${list}`);

  const pod = context === undefined ? await inCluster(env, serviceAccount) : undefined;
  if (pod !== undefined) return pod;

  const path = join(home, ".kube", "config");
  const found = await readKubeconfig(path);
  if (found === undefined) {
    throw new ConfigError(
      `no cluster is configured: KUBECONFIG is not set, this is not a pod with a service account, and there is no ${path}`,
    );
  }
  return contextOf(found, context, `kubeconfig ${path}`);
}

function existing(config: Kubeconfig | undefined, where: string): Kubeconfig {
  if (config === undefined) throw new ConfigError(`kubeconfig ${where} does not exist`);
  return config;
}
