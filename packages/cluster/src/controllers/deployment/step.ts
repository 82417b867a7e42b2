import type { Deployment, DeploymentStatus, ReplicaSet } from "pintle/kinds/apps/v1";
import { timestamp } from "../../api/index.ts";
import { limitsOf, sizeOf } from "./limits.ts";
import { isResizeEvent, resizeTogether } from "./resize-together.ts";
import { forgotten, freshAnnotations, REVISION } from "./revision.ts";
import { freshSize, type Resize, recreateResizes, rollingResizes } from "./scale.ts";
import { conditionOf, isComplete, observed, progress, progressDueAt, type Say, withCondition, withFailures } from "./status.ts";
import { sameTemplate } from "./template-hash.ts";

/** What one look at a Deployment and its ReplicaSets leads to. Every write wakes the next look. */
export interface DeploymentStep {
  /** Make the ReplicaSet of the current template, this large, with these annotations. */
  readonly create?: { readonly replicas: number; readonly annotations: Readonly<Record<string, string>> } | undefined;
  /** The current ReplicaSet's annotations or minReadySeconds no longer follow the Deployment. */
  readonly refresh?: { readonly set: ReplicaSet; readonly annotations: Readonly<Record<string, string>> } | undefined;
  readonly resize: readonly Resize[];
  readonly forget: readonly ReplicaSet[];
  /** The Deployment's own revision annotation, when it should change. */
  readonly revision?: string | undefined;
  readonly status: DeploymentStatus;
  /** Milliseconds until time alone changes the answer. */
  readonly again: number | undefined;
}

/** Pure. `oldPods` are the pods of old ReplicaSets that still run: Recreate waits for the last of them. */
export function deploymentStep(deployment: Deployment, sets: readonly ReplicaSet[], oldPods: number, now: number): DeploymentStep {
  const byAge = [...sets].sort((a, b) => born(a) - born(b) || (a.metadata.name < b.metadata.name ? -1 : 1));
  const fresh = byAge.find((set) => sameTemplate(set.spec.template, deployment.spec.template));
  const old = byAge.filter((set) => set !== fresh);
  const time = timestamp(now);
  const counted = withFailures(observed(deployment, fresh, byAge, time), fresh, byAge, time);
  const settle = (step: Partial<DeploymentStep>, say?: Say): DeploymentStep => {
    const moved = say ?? progress(deployment, counted, fresh, now);
    const status = moved === undefined ? counted : withCondition(counted, moved, time, moved.reason === "ReplicaSetUpdated");
    const due = progressDueAt({ ...deployment, status });
    return { resize: [], forget: [], ...step, status, again: due === undefined ? undefined : Math.max(0, due - now) };
  };

  if (deployment.metadata.deletionTimestamp !== undefined) return settle({});
  const pause = pauseChange(deployment);
  if (deployment.spec.paused) return settle({ resize: resizeTogether(deployment, fresh, old) }, pause);
  if (isResizeEvent(deployment, byAge)) return settle({ resize: resizeTogether(deployment, fresh, old) }, pause);

  const recreate = deployment.spec.strategy?.type === "Recreate";
  if (recreate && (old.some((set) => sizeOf(set) > 0) || oldPods > 0)) return settle({ resize: recreateResizes(fresh, old, 0) }, pause);

  const annotations = freshAnnotations(deployment, fresh, old);
  if (fresh === undefined) return settle({ create: { replicas: freshSize(deployment, 0, old), annotations } }, pause);
  const revision = deployment.metadata.annotations?.[REVISION] === annotations[REVISION] ? undefined : annotations[REVISION];
  const stale =
    !sameRecord(fresh.metadata.annotations ?? {}, annotations) ||
    (fresh.spec.minReadySeconds ?? 0) !== (deployment.spec.minReadySeconds ?? 0);
  // Whoever writes annotations alone wakes nobody: the sizes follow in the same look.
  const refresh = stale ? { set: fresh, annotations } : undefined;

  const resize = recreate ? recreateResizes(fresh, old, limitsOf(deployment).replicas) : rollingResizes(deployment, fresh, old);
  const forget = isComplete(deployment, counted) ? forgotten(deployment, old) : [];
  return settle({ refresh, resize, forget, revision }, pause ?? foundFresh(deployment, fresh));
}

const born = (set: ReplicaSet) => Date.parse(set.metadata.creationTimestamp);

function sameRecord(a: Readonly<Record<string, string>>, b: Readonly<Record<string, string>>): boolean {
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => a[key] === b[key]);
}

/** Pausing and resuming a Deployment stop and restart the clock of its progress. */
function pauseChange(deployment: Deployment): Say | undefined {
  if (deployment.spec.progressDeadlineSeconds === undefined) return undefined;
  const last = conditionOf(deployment.status, "Progressing");
  if (last?.reason === "ProgressDeadlineExceeded") return undefined;
  const wasPaused = last?.reason === "DeploymentPaused";
  if (deployment.spec.paused && !wasPaused) return unknown("DeploymentPaused", "Deployment is paused");
  if (!deployment.spec.paused && wasPaused) return unknown("DeploymentResumed", "Deployment is resumed");
  return undefined;
}
const unknown = (reason: string, message: string): Say => ({ type: "Progressing", status: "Unknown", reason, message });

/** A Deployment that meets its ReplicaSet ready made (after a restart, or a rollback) starts its progress there. */
function foundFresh(deployment: Deployment, fresh: ReplicaSet): Say | undefined {
  if (deployment.spec.progressDeadlineSeconds === undefined || conditionOf(deployment.status, "Progressing") !== undefined)
    return undefined;
  return { type: "Progressing", status: "True", reason: "FoundNewReplicaSet", message: `Found new replica set "${fresh.metadata.name}"` };
}
