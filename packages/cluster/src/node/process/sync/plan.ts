import type { Container, Pod } from "pintle/kinds/core/v1";
import { restartAt } from "./back-off.ts";
import { type ContainerState, type Ended, isOver, isSidecar, type PodState, stateOf } from "./state.ts";

export type Action =
  /** Make what holds the pod's address and volumes. */
  | { readonly do: "sandbox" }
  | { readonly do: "start"; readonly container: Container }
  | { readonly do: "stop"; readonly container: Container }
  /** The pod has been active for too long. */
  | { readonly do: "fail"; readonly reason: string; readonly message: string }
  /** Nothing runs and nothing will: let go of the sandbox. */
  | { readonly do: "finish" };

export interface Plan {
  readonly actions: readonly Action[];
  /** Containers that wait for their back-off to pass. */
  readonly waits: readonly Container[];
  /** When to look again, if nothing happens before. */
  readonly wakeAt?: number | undefined;
}

/** What a node does next for a pod. */
export function plan(pod: Pod, state: PodState, now: number): Plan {
  const { initContainers = [], containers } = pod.spec;
  if (isEnding(pod, state)) return ending(pod, state);
  const overdue = deadlineOf(pod);
  if (overdue !== undefined && overdue <= now)
    return only({ do: "fail", reason: "DeadlineExceeded", message: "Pod was active on the node longer than the specified deadline" });
  if (state.sandbox !== "ready") return state.sandbox === "none" ? only({ do: "sandbox" }) : NOTHING;

  const actions: Action[] = [];
  const waits: Container[] = [];
  const times: number[] = overdue === undefined ? [] : [overdue];
  const consider = (container: Container) => {
    const at = startAt(container, pod, stateOf(state, container));
    if (at === undefined) return;
    if (at <= now) actions.push({ do: "start", container });
    else {
      times.push(at);
      if (stateOf(state, container).standing.at === "ended") waits.push(container);
    }
  };
  const done = (): Plan => ({ actions, waits, ...(times.length > 0 ? { wakeAt: Math.min(...times) } : {}) });

  const begun = containers.some((container) => stateOf(state, container).standing.at !== "none");
  for (const container of initContainers) {
    const own = stateOf(state, container);
    if (isSidecar(container)) {
      consider(container);
      if (!begun && !isUp(own)) return done();
    } else if (!begun && !hasSucceeded(own)) {
      consider(container);
      return done();
    }
  }
  for (const container of containers) consider(container);
  for (const container of pod.spec.ephemeralContainers ?? []) consider({ ...container, restartPolicy: "Never" });
  if (containers.every((container) => isFinished(container, pod, stateOf(state, container)))) return ending(pod, state);
  return done();
}

const NOTHING: Plan = { actions: [], waits: [] };
const only = (action: Action): Plan => ({ actions: [action], waits: [] });

/** True when nothing of the pod is to be started any more. */
export function isEnding(pod: Pod, state: PodState): boolean {
  const { initContainers = [], containers } = pod.spec;
  if (pod.metadata.deletionTimestamp !== undefined || state.failure !== undefined || isOver(pod)) return true;
  if (containers.some((container) => stateOf(state, container).standing.at !== "none")) return false;
  return initContainers.some((container) => !isSidecar(container) && isFinished(container, pod, stateOf(state, container), true));
}

/** Ends what runs: the containers together, then the sidecars, the last one first. */
function ending(pod: Pod, state: PodState): Plan {
  const { initContainers = [], containers, ephemeralContainers = [] } = pod.spec;
  const live = (container: Container) => {
    const { at } = stateOf(state, container).standing;
    return at === "running" || at === "creating";
  };
  const stops = (which: readonly Container[]): Plan => ({
    actions: which
      .filter((container) => {
        const { standing } = stateOf(state, container);
        return standing.at === "running" && !standing.stopping;
      })
      .map((container) => ({ do: "stop", container })),
    waits: [],
  });
  const sidecars = initContainers.filter(isSidecar).reverse();
  const first = [...initContainers.filter((container) => !isSidecar(container)), ...containers, ...ephemeralContainers].filter(live);
  if (first.length > 0) return stops(first);
  const next = sidecars.find(live);
  if (next !== undefined) return stops([next]);
  return state.sandbox === "gone" ? NOTHING : state.sandbox === "making" ? NOTHING : only({ do: "finish" });
}

/** When a container is to be started; undefined: not at all, or not now. */
function startAt(container: Container, pod: Pod, { standing, backOff }: ContainerState): number | undefined {
  if (standing.at === "none") return 0;
  if (standing.at === "blocked") return standing.retryAt;
  if (standing.at !== "ended" || !isRestarted(container, pod, standing.ended)) return undefined;
  return restartAt(backOff, standing.ended.finishedAt);
}

/** True when a run that ended this way is followed by another. */
export function isRestarted(container: Container, pod: Pod, { exitCode }: Ended): boolean {
  const isInit = pod.spec.initContainers?.some(({ name }) => name === container.name) === true;
  const policy = container.restartPolicy ?? pod.spec.restartPolicy ?? "Always";
  // An init container that succeeded is through, whatever the pod's policy.
  if (isInit && !isSidecar(container)) return exitCode !== 0 && policy !== "Never";
  return policy === "Always" || (policy === "OnFailure" && exitCode !== 0);
}

function isFinished(container: Container, pod: Pod, { standing }: ContainerState, failed = false): boolean {
  return standing.at === "ended" && !isRestarted(container, pod, standing.ended) && (!failed || standing.ended.exitCode !== 0);
}

const isUp = ({ standing }: ContainerState) => standing.at === "running" && standing.started;
const hasSucceeded = ({ standing }: ContainerState) => standing.at === "ended" && standing.ended.exitCode === 0;

function deadlineOf({ spec, status }: Pod): number | undefined {
  if (spec.activeDeadlineSeconds === undefined || status.startTime === undefined) return undefined;
  return Date.parse(status.startTime) + spec.activeDeadlineSeconds * 1000;
}
