import { isLoopbackUrl } from "pintle/internal/loopback";
import { CommandError, type Io, type ParsedArguments } from "../../command/index.ts";
import { findProject } from "../../project/index.ts";
import {
  findOperatorPod,
  type OperatorEndpoint,
  openPodEndpoint,
  openUrlEndpoint,
  requestUserToken,
  type TargetCluster,
} from "../../target-cluster/index.ts";

/** The running operator that a command reads from. */
export interface OperatorTarget {
  readonly namespace: string;
  readonly deployment: string;
  readonly pod: string | undefined;
  readonly port: number | undefined;
  readonly url: URL | undefined;
  readonly serviceAccount: string | undefined;
}

/** Reads from options which operator is meant; by default that of the project. */
export async function resolveOperator({ values }: ParsedArguments, io: Io): Promise<OperatorTarget> {
  const {
    namespace,
    deployment,
    pod,
    port,
    url,
    "service-account": serviceAccount,
  } = values as Readonly<Record<string, string | undefined>>;
  const hasTarget = url !== undefined || (namespace !== undefined && (deployment !== undefined || pod !== undefined));
  const project = hasTarget ? undefined : await findProject(io.cwd);
  if (port !== undefined && !/^\d{1,5}$/.test(port))
    throw new CommandError("PINTLE7005", `invalid --port "${port}": must be a port number`, 2);
  const address = url === undefined ? undefined : URL.parse(url);
  if (address === null || (address !== undefined && !/^https?:$/.test(address.protocol)))
    throw new CommandError("PINTLE7005", `invalid --url "${url}": must be a URL such as https://127.0.0.1:8443`, 2);
  // A token must not go to a server whose certificate is not verified.
  if (address !== undefined && !isLoopbackUrl(address.href))
    throw new CommandError(
      "PINTLE7006",
      `--url ${url} is not on this machine: name the pod instead, which is reached through the API server`,
      2,
    );
  return {
    namespace: namespace ?? project?.namespace ?? "default",
    deployment: deployment ?? `${project?.name}-controller-manager`,
    pod,
    port: port === undefined ? undefined : Number(port),
    url: address,
    serviceAccount,
  };
}

/** Opens an endpoint of the operator with a token of the user. */
export async function openOperator(
  target: OperatorTarget,
  cluster: TargetCluster,
  { signal }: Pick<Io, "signal">,
): Promise<{ readonly endpoint: OperatorEndpoint; readonly name: string }> {
  if (target.url !== undefined)
    return { endpoint: openUrlEndpoint(target.url, await requestUserToken(cluster, target, signal)), name: "operator" };
  const pod = await findOperatorPod(cluster, target, signal);
  const token = await requestUserToken(cluster, target, signal);
  return { endpoint: openPodEndpoint(cluster, pod, token, target.port), name: pod.metadata.name };
}
