import { type Client, Forbidden } from "pintle/client";
import type { ObjectOf } from "pintle/kinds";
import type { Deployment } from "pintle/kinds/apps/v1";
import { Node, Pod } from "pintle/kinds/core/v1";

/** A pod of the operator; with the reason and log if it is not ready. */
export interface OperatorPod {
  readonly name: string;
  readonly ready: boolean;
  readonly restarts: number;
  /** Whether its node is simulated: the pod becomes ready, but no program runs in it. Default: false. */
  readonly simulated?: true | undefined;
  /** "CrashLoopBackOff: back-off 10s restarting failed container"; undefined if it is ready. */
  readonly reason?: string | undefined;
  /** The last log lines of a pod that is not ready. */
  readonly log?: readonly string[] | undefined;
}
type LivePod = ObjectOf<typeof Pod>;

/** Returns every pod that the Deployment's selector matches. */
export async function listOperatorPods(
  client: Client,
  deployment: ObjectOf<typeof Deployment>,
  signal: AbortSignal,
): Promise<readonly OperatorPod[]> {
  const { namespace } = deployment.metadata;
  const { items } = await client.list(Pod, { namespace, labels: deployment.spec.selector.matchLabels ?? {}, signal });
  const simulatedNodes = await listSimulatedNodes(client, signal);
  return Promise.all(
    items.map(async (pod) => {
      const state = await readPodState(client, pod, signal);
      return simulatedNodes.has(pod.spec.nodeName ?? "") ? { ...state, simulated: true as const } : state;
    }),
  );
}

/** What a user must know about an operator whose pods are on simulated nodes. */
export const SIMULATED_NOTICE =
  "simulated: the operator's pod runs no program, because its node is simulated. Run the operator with 'pintle dev', or start the cluster with 'pintle cluster up --nodes process'";

/** Returns the names of simulated nodes; none for a user that may not read nodes. */
async function listSimulatedNodes(client: Client, signal: AbortSignal): Promise<ReadonlySet<string>> {
  try {
    const { items } = await client.list(Node, { labels: { "node.pintle.dev/simulated": "true" }, signal });
    return new Set(items.map(({ metadata }) => metadata.name));
  } catch (error) {
    if (error instanceof Forbidden) return new Set();
    throw error;
  }
}

async function readPodState(client: Client, pod: LivePod, signal: AbortSignal): Promise<OperatorPod> {
  const { name, namespace } = pod.metadata;
  const restarts = (pod.status.containerStatuses ?? []).reduce((sum, { restartCount }) => sum + restartCount, 0);
  const ready = pod.status.conditions?.some(({ type, status }) => type === "Ready" && status === "True") ?? false;
  if (ready) return { name, ready, restarts };
  const log = await readLogTail(client, { name, namespace }, restarts > 0, signal);
  return { name, ready, restarts, reason: notReadyReason(pod), ...(log.length === 0 ? {} : { log }) };
}

function notReadyReason({ status }: LivePod): string {
  const [container] = status.containerStatuses ?? [];
  const waiting = container?.state?.waiting ?? container?.state?.terminated ?? container?.lastState?.terminated;
  const unscheduled = status.conditions?.find((each) => each.type === "PodScheduled" && each.status === "False");
  const lastTermination = container?.lastState?.terminated;
  const exit =
    lastTermination === undefined || lastTermination === waiting
      ? ""
      : ` (exited with code ${lastTermination.exitCode}${lastTermination.reason === undefined ? "" : `, ${lastTermination.reason}`})`;
  const reason =
    waiting?.reason ??
    unscheduled?.reason ??
    status.reason ??
    (status.phase === "Running" ? "Running, but not ready" : (status.phase ?? "Unknown"));
  const message = waiting?.message ?? unscheduled?.message ?? status.message;
  return `${reason}${message === undefined ? "" : `: ${message}`}${exit}`;
}

/** The message of a crash is above its stack trace. */
const LOG_TAIL_LINES = 40;

/** For a restarted container, the log of its previous instance shows why it exited. */
async function readLogTail(
  client: Client,
  ref: { readonly name: string; readonly namespace: string },
  restarted: boolean,
  signal: AbortSignal,
): Promise<readonly string[]> {
  for (const previous of restarted ? [true, false] : [false]) {
    try {
      const chunks: Uint8Array[] = [];
      for await (const chunk of client.logs(Pod, ref, { tailLines: LOG_TAIL_LINES, previous, signal })) chunks.push(chunk);
      const text = Buffer.concat(chunks).toString().trimEnd();
      if (text !== "") return text.split("\n");
    } catch {
      // A container that never ran has no log.
    }
  }
  return [];
}

/** Formats the pods that are not ready, with their logs. */
export function formatPods(pods: readonly OperatorPod[]): string {
  return pods
    .filter(({ ready }) => !ready)
    .map(({ name, reason: why, log = [] }) => [`  ${name}: ${why}`, ...log.map((line) => `    | ${line}`)].join("\n"))
    .join("\n");
}
