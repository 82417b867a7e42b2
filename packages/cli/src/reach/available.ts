import { type Client, condition, Timeout } from "pintle/client";
import { Deployment } from "pintle/kinds/apps/v1";
import { Pod } from "pintle/kinds/core/v1";
import { CommandError, type Io } from "../command.ts";

interface Place {
  readonly name: string;
  readonly namespace: string;
}

/** Waits until the Deployment's newest pods are available; if they never are, says what they say themselves. */
export async function available(client: Client, { name, namespace }: Place, timeout: number, io: Io): Promise<void> {
  const isAvailable = condition("Available");
  try {
    await client.wait(
      Deployment,
      { name, namespace },
      (found) =>
        isAvailable(found) &&
        found.status.observedGeneration === found.metadata.generation &&
        (found.status.updatedReplicas ?? 0) >= (found.spec.replicas ?? 1) &&
        (found.status.unavailableReplicas ?? 0) === 0,
      { timeout, signal: io.signal },
    );
  } catch (error) {
    if (!(error instanceof Timeout)) throw error;
    const why = await words(client, { name, namespace }, io.signal);
    throw new CommandError(`pintle: Deployment ${namespace}/${name} is not available after ${timeout / 1000} s\n${why}`);
  }
}

/** Each pod's own words: why it waits, how it ended, and the last lines of its log. */
async function words(client: Client, { name, namespace }: Place, signal: AbortSignal): Promise<string> {
  const { spec, status } = await client.get(Deployment, { name, namespace }, { signal });
  const { items } = await client.list(Pod, { namespace, labels: spec.selector.matchLabels ?? {}, signal });
  if (items.length === 0) {
    const failed = status.conditions?.find((each) => each.status === "False" || each.type === "ReplicaFailure");
    return `  there are no pods: ${failed?.message ?? "no controller has made any"}`;
  }
  const lines = items.map(async (pod) => {
    const [container] = pod.status.containerStatuses ?? [];
    const waiting = container?.state?.waiting ?? container?.lastState?.terminated;
    const unscheduled = pod.status.conditions?.find((each) => each.type === "PodScheduled" && each.status === "False");
    const why = waiting?.reason ?? unscheduled?.reason ?? pod.status.phase ?? "Unknown";
    const more = waiting?.message ?? unscheduled?.message;
    const log = await tail(client, { name: pod.metadata.name, namespace }, signal);
    return `  ${pod.metadata.name}: ${why}${more === undefined ? "" : `: ${more}`}${log}`;
  });
  return (await Promise.all(lines)).join("\n");
}

async function tail(client: Client, ref: Place, signal: AbortSignal): Promise<string> {
  try {
    const chunks: Uint8Array[] = [];
    for await (const chunk of client.logs(Pod, ref, { tailLines: 5, signal })) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString().trimEnd();
    return text === "" ? "" : `\n${text.replace(/^/gm, "    | ")}`;
  } catch {
    return "";
  }
}
