import { type Client, hasCondition, Timeout } from "pintle/client";
import { Deployment } from "pintle/kinds/apps/v1";
import { CommandError, type Io } from "../command/index.ts";
import { formatPods, listOperatorPods } from "./operator-pods.ts";

interface DeploymentRef {
  readonly name: string;
  readonly namespace: string;
}

/** Waits until all replicas of the Deployment are updated and available. On timeout the error includes the state and logs of its pods. */
export async function waitForDeployment(client: Client, { name, namespace }: DeploymentRef, timeoutMs: number, io: Io): Promise<void> {
  const isAvailable = hasCondition("Available");
  try {
    await client.waitFor(
      Deployment,
      { name, namespace },
      (found) =>
        isAvailable(found) &&
        found.status.observedGeneration === found.metadata.generation &&
        (found.status.updatedReplicas ?? 0) >= (found.spec.replicas ?? 1) &&
        (found.status.unavailableReplicas ?? 0) === 0,
      { timeout: timeoutMs, signal: io.signal },
    );
  } catch (error) {
    if (!(error instanceof Timeout)) throw error;
    const found = await client.get(Deployment, { name, namespace }, { signal: io.signal });
    const pods = await listOperatorPods(client, found, io.signal);
    const failedCondition = found.status.conditions?.find((each) => each.status === "False" || each.type === "ReplicaFailure");
    const details = pods.length > 0 ? formatPods(pods) : `  no pods found: ${failedCondition?.message ?? "no controller created any"}`;
    throw new CommandError("PINTLE7057", `deployment ${namespace}/${name} is not available after ${timeoutMs / 1000}s:\n${details}`);
  }
}
