import type { Pod } from "pintle/kinds/core/v1";
import { isRestarted } from "./plan.ts";
import { isOver, isSidecar, type PodState, stateOf } from "./state.ts";

type Phase = "Pending" | "Running" | "Succeeded" | "Failed";

/** A pod's phase, from where its containers stand. One that is over stays so. */
export function phaseOf(pod: Pod, state: PodState): Phase {
  if (isOver(pod)) return pod.status.phase as Phase;
  const { initContainers = [], containers } = pod.spec;
  const goes = pod.metadata.deletionTimestamp !== undefined;
  const standings = containers.map((container) => ({ container, ...stateOf(state, container) }));
  const sidecarRuns = initContainers.some((each) => isSidecar(each) && stateOf(state, each).standing.at === "running");
  const anyRuns = sidecarRuns || standings.some(({ standing }) => standing.at === "running");
  if (state.failure !== undefined) return anyRuns ? "Running" : "Failed";

  const failedInit = initContainers.some((each) => {
    const { standing } = stateOf(state, each);
    return (
      !isSidecar(each) && standing.at === "ended" && standing.ended.exitCode !== 0 && (goes || !isRestarted(each, pod, standing.ended))
    );
  });
  if (failedInit && standings.every(({ standing }) => standing.at === "none")) return anyRuns ? "Pending" : "Failed";
  const waiting = standings.some(
    ({ standing, last }) => (standing.at === "none" || standing.at === "creating" || standing.at === "blocked") && last === undefined,
  );
  // What never ran and never will has failed.
  if (waiting) return goes && state.sandbox === "gone" ? "Failed" : "Pending";
  if (standings.some(({ standing }) => standing.at !== "ended")) return "Running";
  const over = standings.every(
    ({ container, standing }) => standing.at === "ended" && (goes || !isRestarted(container, pod, standing.ended)),
  );
  if (!over || anyRuns) return "Running";
  return standings.every(({ standing }) => standing.at === "ended" && standing.ended.exitCode === 0) ? "Succeeded" : "Failed";
}
