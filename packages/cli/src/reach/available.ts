import { type Client, condition, Timeout } from "pintle/client";
import { Deployment } from "pintle/kinds/apps/v1";
import { CommandError, type Io } from "../command.ts";
import { podsOf, podWords } from "./pods.ts";

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
    const found = await client.get(Deployment, { name, namespace }, { signal: io.signal });
    const pods = await podsOf(client, found, io.signal);
    const failed = found.status.conditions?.find((each) => each.status === "False" || each.type === "ReplicaFailure");
    const why = pods.length > 0 ? podWords(pods) : `  there are no pods: ${failed?.message ?? "no controller has made any"}`;
    throw new CommandError(`pintle: Deployment ${namespace}/${name} is not available after ${timeout / 1000} s\n${why}`);
  }
}
