import { type Client, NotFound } from "pintle/client";
import { createWorkQueue, type WorkOutcome } from "pintle/internal/queue";
import { Secret } from "pintle/kinds/core/v1";
import { type ManagerContext, type RunningController, runController } from "../api/context.ts";
import { describeError, failure, TerminalFailure } from "../api/failures.ts";
import {
  BUNDLE_VERSION,
  CONTROLLER_FIELD_MANAGER,
  INSTALLER_ANNOTATION,
  KEEP_DEFINITIONS_ANNOTATION,
  OWNER_NAME_LABEL,
  REVISION_NAME_LABEL,
  ROLLED_BACK_ANNOTATION,
  TEARDOWN_FINALIZER,
} from "../api/names.ts";
import { writeFinalizers, writeStatus } from "../api/status.ts";
import { type ClusterObjectSet, ClusterObjectSetKind } from "../api/types.ts";
import { createSettledStates } from "./apply-object.ts";
import { createObjectSetStatusDraft, type ObjectSetStatusDraft, timeUntilDeadline } from "./object-set-status.ts";
import { createObjectWatches } from "./object-watches.ts";
import { releaseDefinitions } from "./release-definitions.ts";
import { type ReadSecret, refuseMutableSecrets, resolvePhases, verifyObservedPhases } from "./resolve-phases.ts";
import { formatCollisions, formatProbeFailures, isComplete, isInTransition, type PhaseResult, rollOutPhases } from "./roll-out-phases.ts";
import { tearDownPhases } from "./teardown.ts";
import { findRevisionProblem } from "./validate-phases.ts";

/** The result of a pass besides the status. */
interface ObjectSetPassResult {
  /** Milliseconds until the next pass. */
  readonly requeueAfter?: number | undefined;
}

const COLLISION_RETRY_MS = 10_000;
const TEARDOWN_RETRY_MS = 5_000;

/** Starts the controller of revisions: it rolls out their objects phase by phase, keeps them, and removes those of archived revisions. */
export function startObjectSetController(context: ManagerContext): RunningController {
  const { client, cache, clock, logger, systemNamespace } = context;
  const objectSets = cache.watch(ClusterObjectSetKind);
  const secrets = cache.watch(Secret, { namespaces: [systemNamespace], labels: REVISION_NAME_LABEL });
  const work = createWorkQueue({ clock, concurrency: 4, work: ({ key }, signal) => sync(key, signal) });
  const watches = createObjectWatches(client, cache, (name) => work.add(name));
  const settled = createSettledStates();
  const log = logger.with({ controller: "clusterobjectset" });
  objectSets.addEventHandler(({ old, new: current }) => work.add((current ?? old)!.metadata.name));
  secrets.addEventHandler(({ old, new: current }) => {
    const name = (current ?? old)!.metadata.labels?.[REVISION_NAME_LABEL];
    if (name !== undefined) work.add(name);
  });

  const readSecret: ReadSecret = async (ref) =>
    (ref.namespace === systemNamespace ? secrets.get(ref) : undefined) ?? (await client.find(Secret, ref));

  const sync = async (name: string, signal: AbortSignal): Promise<WorkOutcome> => {
    const objectSet = objectSets.get({ name });
    if (objectSet === undefined) {
      await watches.free(name);
      return { type: "done" };
    }
    const draft = createObjectSetStatusDraft(objectSet, clock.now());
    let outcome: WorkOutcome;
    let current = objectSet;
    try {
      const result = await reconcile(objectSet, draft, signal, (written) => {
        current = written;
      });
      outcome = result.requeueAfter === undefined ? { type: "done" } : { type: "requeue", after: result.requeueAfter };
    } catch (error) {
      signal.throwIfAborted();
      outcome = { type: "failed", error };
      log.warn(`ClusterObjectSet ${name}: ${describeError(error)}`);
      const remaining = timeUntilDeadline(objectSet, clock.now());
      if (remaining !== undefined && remaining > 0) work.add(name, { after: remaining });
    }
    try {
      await writeStatus(client, ClusterObjectSetKind, current, draft.status, CONTROLLER_FIELD_MANAGER);
    } catch (error) {
      if (!(error instanceof NotFound)) return { type: "failed", error };
    }
    return outcome;
  };

  const setFinalizer = async (objectSet: ClusterObjectSet, isSet: boolean): Promise<ClusterObjectSet> => {
    const { finalizers = [] } = objectSet.metadata;
    if (finalizers.includes(TEARDOWN_FINALIZER) === isSet) return objectSet;
    const others = finalizers.filter((finalizer) => finalizer !== TEARDOWN_FINALIZER);
    try {
      const next = isSet ? [...others, TEARDOWN_FINALIZER] : others;
      return await writeFinalizers(client, ClusterObjectSetKind, objectSet, next, CONTROLLER_FIELD_MANAGER);
    } catch (error) {
      if (!isSet && error instanceof NotFound) return objectSet;
      const what = isSet ? "error ensuring teardown finalizer: adding finalizer" : "error removing teardown finalizer: removing finalizer";
      throw failure(`${what}: ${describeError(error)}`, error);
    }
  };

  const reconcile = async (
    objectSet: ClusterObjectSet,
    draft: ObjectSetStatusDraft,
    signal: AbortSignal,
    onWrite: (written: ClusterObjectSet) => void,
  ): Promise<ObjectSetPassResult> => {
    const { name } = objectSet.metadata;
    if (objectSet.metadata.deletionTimestamp !== undefined) {
      if (objectSet.metadata.annotations?.[KEEP_DEFINITIONS_ANNOTATION] !== undefined)
        await releaseDefinitions(client, objectSet, readSecret);
      await watches.free(name);
      onWrite(await setFinalizer(objectSet, false));
      return {};
    }
    const resolved = await blockOn(draft, async () => {
      await refuseMutableSecrets(objectSet, readSecret);
      const result = await resolvePhases(objectSet, readSecret).catch((error: unknown) => {
        draft.setRetrying(describeError(error));
        throw failure(`converting to boxcutter revision: ${describeError(error)}`, error);
      });
      const stored = objectSet.status?.observedPhases ?? [];
      if (stored.length === 0) draft.status = { ...draft.status, observedPhases: result.observed };
      else verifyObservedPhases(stored, result.observed);
      return result;
    });
    if (resolved === undefined) return {};
    if (objectSet.spec.lifecycleState === "Archived") {
      await watches.free(name);
      return archive(objectSet, draft, resolved.phases, onWrite);
    }
    onWrite(await setFinalizer(objectSet, true));
    const problem = findRevisionProblem(name, objectSet.spec.revision, resolved.phases);
    if (problem !== undefined) {
      draft.setRetrying(`revision validation error: ${problem}`);
      return { requeueAfter: COLLISION_RETRY_MS };
    }
    const siblings = listSiblings(objectSet);
    // A newer revision is a rollback of this one: objects that only this one has must not be created again.
    if (siblings.some((each) => each.spec.revision > objectSet.spec.revision && isRollBack(each))) return {};
    const results = await rollOutPhases({ client: clientFor(objectSet), objectSet, siblings, settled }, resolved.phases, (desired) =>
      watches.watch(name, desired, signal),
    ).catch((error: unknown) => {
      signal.throwIfAborted();
      draft.setRetrying(describeError(error));
      throw failure(`revision reconcile: ${describeError(error)}`, error);
    });
    return report(objectSet, draft, resolved.phases.length, results);
  };

  /** Writes the progress of a rollout into the status, and archives the revisions that it has replaced. */
  const report = async (
    objectSet: ClusterObjectSet,
    draft: ObjectSetStatusDraft,
    phases: number,
    results: readonly PhaseResult[],
  ): Promise<ObjectSetPassResult> => {
    for (const [i, { problem, objects }] of results.entries()) {
      if (problem !== undefined) {
        draft.setRetrying(`phase ${i} validation error: ${problem}`);
        return { requeueAfter: COLLISION_RETRY_MS };
      }
      const collisions = formatCollisions(objects);
      if (collisions === undefined) continue;
      draft.setRetrying(`revision object collisions in phase ${i}\n${collisions}`);
      return { requeueAfter: COLLISION_RETRY_MS };
    }
    const version = objectSet.metadata.annotations?.[BUNDLE_VERSION] ?? "";
    const rollingOut = `Revision ${version} is rolling out.`;
    if (results.length < phases || results.some(isInTransition)) draft.setProgressing("RollingOut", rollingOut);
    if (results.length === phases && results.every(isComplete)) {
      for (const { metadata, spec } of listSiblings(objectSet)) {
        if (spec.revision >= objectSet.spec.revision) continue;
        const merge = { spec: { lifecycleState: "Archived" } };
        await client
          .patch(ClusterObjectSetKind, { name: metadata.name }, { merge }, { fieldManager: CONTROLLER_FIELD_MANAGER })
          .catch((error: unknown) => {
            throw failure(`archive previous Revision: ${describeError(error)}`, error);
          });
      }
      draft.setProgressing("Succeeded", `Revision ${version} has rolled out.`);
      draft.setAvailable("True", "ProbesSucceeded", "Objects are available and pass all probes.");
      draft.setSucceeded();
      return {};
    }
    const failures = formatProbeFailures(results);
    if (failures === undefined) draft.setAvailable("False", "RollingOut", rollingOut);
    else draft.setAvailable("False", "ProbeFailure", failures);
    draft.setProgressing("RollingOut", rollingOut);
    const remaining = timeUntilDeadline(objectSet, clock.now());
    return remaining !== undefined && remaining > 0 ? { requeueAfter: remaining } : {};
  };

  const archive = async (
    objectSet: ClusterObjectSet,
    draft: ObjectSetStatusDraft,
    phases: Parameters<typeof tearDownPhases>[2],
    onWrite: (written: ClusterObjectSet) => void,
  ): Promise<ObjectSetPassResult> => {
    const isGone = await tearDownPhases(clientFor(objectSet), objectSet, phases, watches.findKind).catch((error: unknown) => {
      const archived = failure(`error archiving revision: ${describeError(error)}`, error);
      draft.setRetrying(archived.message);
      throw archived;
    });
    if (!isGone) {
      draft.setRetrying("removing revision resources that are not owned by another revision");
      return { requeueAfter: TEARDOWN_RETRY_MS };
    }
    // The status comes first: without the finalizer the object may be gone.
    if (!draft.setArchived()) onWrite(await setFinalizer(objectSet, false));
    return {};
  };

  /** Objects are applied as the installer ServiceAccount, if a policy set one for the extension. */
  const clientFor = ({ metadata }: ClusterObjectSet): Client => {
    const [namespace, account] = (metadata.annotations?.[INSTALLER_ANNOTATION] ?? "").split("/");
    return namespace === undefined || account === undefined ? client : context.clientOf({ namespace, name: account });
  };

  const listSiblings = ({ metadata }: ClusterObjectSet): readonly ClusterObjectSet[] => {
    const owner = metadata.labels?.[OWNER_NAME_LABEL];
    if (owner === undefined) return [];
    return objectSets
      .list({ labels: { [OWNER_NAME_LABEL]: owner } })
      .filter((other) => other.metadata.name !== metadata.name && other.metadata.deletionTimestamp === undefined)
      .filter((other) => other.spec.lifecycleState !== "Archived");
  };

  const running = runController(work, [objectSets, secrets]);
  return {
    ready: running.ready,
    async stop() {
      await running.stop();
      await watches.close();
    },
  };
}

const isRollBack = ({ metadata }: ClusterObjectSet) => metadata.annotations?.[ROLLED_BACK_ANNOTATION] !== undefined;

/** Runs `read`; a terminal failure blocks the revision until it is changed. */
async function blockOn<T>(draft: ObjectSetStatusDraft, read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof TerminalFailure)) throw error;
    draft.setNotProgressing("Blocked", error.message);
    return undefined;
  }
}
