import type { Pod } from "pintle/kinds/core/v1";

export interface Trouble {
  readonly reason: string;
  readonly message: string;
}

/** What keeps pods from being ready, in the words of whoever knows: a container that waits, or the scheduler. */
export function troubleOf(pods: readonly Pod[]): Trouble | undefined {
  for (const { metadata, status } of pods) {
    for (const { state } of status.containerStatuses ?? []) {
      const { reason, message } = state?.waiting ?? {};
      if (reason !== undefined && reason !== "ContainerCreating" && reason !== "PodInitializing")
        return { reason, message: `${metadata.name}: ${message ?? reason}` };
    }
    const scheduled = status.conditions?.find(({ type }) => type === "PodScheduled");
    if (scheduled?.status === "False")
      return { reason: scheduled.reason ?? "Unschedulable", message: `${metadata.name}: ${scheduled.message ?? "cannot be scheduled"}` };
  }
  return undefined;
}
