import type { Client } from "pintle/client";
import type { ReadOf } from "pintle/kinds";
import type { Deployment } from "pintle/kinds/apps/v1";
import { Pod } from "pintle/kinds/core/v1";

/** A pod of the operator and, where it is not ready, its own words. */
export interface PodState {
  readonly name: string;
  readonly ready: boolean;
  readonly restarts: number;
  /** "CrashLoopBackOff: back-off 10s restarting failed container"; undefined when it is ready. */
  readonly why?: string | undefined;
  /** The last lines of its log, for one that is not ready. */
  readonly log?: readonly string[] | undefined;
}
type Live = ReadOf<typeof Pod>;

/** Every pod that the Deployment's selector finds. */
export async function podsOf(client: Client, deployment: ReadOf<typeof Deployment>, signal: AbortSignal): Promise<readonly PodState[]> {
  const { namespace } = deployment.metadata;
  const { items } = await client.list(Pod, { namespace, labels: deployment.spec.selector.matchLabels ?? {}, signal });
  return Promise.all(items.map((pod) => stateOf(client, pod, signal)));
}

async function stateOf(client: Client, pod: Live, signal: AbortSignal): Promise<PodState> {
  const { name, namespace } = pod.metadata;
  const restarts = (pod.status.containerStatuses ?? []).reduce((sum, { restartCount }) => sum + restartCount, 0);
  const ready = pod.status.conditions?.some(({ type, status }) => type === "Ready" && status === "True") ?? false;
  if (ready) return { name, ready, restarts };
  const log = await tail(client, { name, namespace }, restarts > 0, signal);
  return { name, ready, restarts, why: reasonOf(pod), ...(log.length === 0 ? {} : { log }) };
}

function reasonOf({ status }: Live): string {
  const [container] = status.containerStatuses ?? [];
  const waiting = container?.state?.waiting ?? container?.state?.terminated ?? container?.lastState?.terminated;
  const unscheduled = status.conditions?.find((each) => each.type === "PodScheduled" && each.status === "False");
  const ended = container?.lastState?.terminated;
  const how =
    ended === undefined || ended === waiting
      ? ""
      : ` (ended with exit code ${ended.exitCode}${ended.reason === undefined ? "" : `, ${ended.reason}`})`;
  const why =
    waiting?.reason ??
    unscheduled?.reason ??
    status.reason ??
    (status.phase === "Running" ? "Running, but not ready" : (status.phase ?? "Unknown"));
  const more = waiting?.message ?? unscheduled?.message ?? status.message;
  return `${why}${more === undefined ? "" : `: ${more}`}${how}`;
}

/** What a container that was started again said before is what it died of. */
async function tail(
  client: Client,
  ref: { readonly name: string; readonly namespace: string },
  restarted: boolean,
  signal: AbortSignal,
): Promise<readonly string[]> {
  for (const previous of restarted ? [true, false] : [false]) {
    try {
      const chunks: Uint8Array[] = [];
      for await (const chunk of client.logs(Pod, ref, { tailLines: 5, previous, signal })) chunks.push(chunk);
      const text = Buffer.concat(chunks).toString().trimEnd();
      if (text !== "") return text.split("\n");
    } catch {
      // A container that never ran has nothing to say.
    }
  }
  return [];
}

/** For a reader: each pod that is not ready, with its log. */
export function podWords(pods: readonly PodState[]): string {
  return pods
    .filter(({ ready }) => !ready)
    .map(({ name, why, log = [] }) => [`  ${name}: ${why}`, ...log.map((line) => `    | ${line}`)].join("\n"))
    .join("\n");
}
