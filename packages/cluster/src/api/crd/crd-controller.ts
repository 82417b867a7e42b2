import { setImmediate } from "node:timers/promises";
import type { Clock } from "pintle/internal/clock";
import { runInBackground } from "pintle/internal/errors";
import { isJsonEqual } from "pintle/internal/merge";
import type { RecordedRun, RunCause, RunRecorder } from "pintle/internal/recorder";
import type { JsonObject } from "pintle/kinds";
import type { ObjectStore, StoreEntry, StoreEvent } from "../../store/index.ts";
import { getMetadata, withMetadata } from "../metadata/object-meta.ts";
import { formatTimestamp } from "../metadata/timestamp.ts";
import type { ResourceRegistry } from "../registry/registry.ts";
import type { ServedResource } from "../registry/served-resource.ts";
import { APISERVER } from "../request/user.ts";
import { decideDeletion } from "../strategy/deletion.ts";
import { findCondition, isConditionTrue, setApprovalCondition, setCondition } from "./conditions.ts";
import { CLEANUP_FINALIZER, CRD_GROUP, CRD_PLURAL } from "./crd-resource.ts";
import { acceptNames, collectTakenNames, getAcceptedNames } from "./naming.ts";
import { buildServedVersions, getStoragePrefix } from "./served-versions.ts";
import type { ConversionContext } from "./webhook-converter.ts";

export interface CrdControllerOptions {
  readonly store: ObjectStore;
  readonly registry: ResourceRegistry;
  readonly clock: Clock;
  readonly conversion: ConversionContext;
  /** Writes a CRD's status; false when another writer was faster, whose change will be observed. */
  updateStatus(crd: JsonObject, run: RecordedRun | undefined): Promise<boolean>;
  /** Records the runs of the controller. Default: they are not recorded. */
  readonly runs?: RunRecorder | undefined;
}

export interface CrdController {
  /** Lists all CRDs. */
  listDefinitions(): readonly JsonObject[];
  stop(): void;
}

const CRD_PREFIX = `/registry/${CRD_GROUP}/${CRD_PLURAL}/`;

/** Watches CRDs: accepts their names, serves what they define, and deletes their objects when they are deleted. */
export async function startCrdController({
  store,
  registry,
  clock,
  conversion,
  updateStatus,
  runs,
}: CrdControllerOptions): Promise<CrdController> {
  const crds = new Map<string, JsonObject>();
  /** The resources served for a CRD, and what they were built from. */
  const served = new Map<
    string,
    { readonly uid: string; readonly spec: unknown; readonly names: unknown; readonly resources: readonly ServedResource[] }
  >();
  const queue = new Set<string>();
  /** CRDs that wait for their last objects to be deleted, with how to stop waiting. */
  const finalizing = new Map<string, () => void>();
  let stopped = false;
  let working = false;

  const { entries, revision } = await store.range(CRD_PREFIX);
  for (const { value } of entries) crds.set(getName(value), value);
  const unwatch = await store.watch(CRD_PREFIX, revision, (event) => {
    const name = getName(event.value);
    if (event.type === "put") crds.set(name, event.value);
    else crds.delete(name);
    // It may have released a name that another CRD of the group waits for.
    const before = event.previous === undefined ? {} : getAcceptedNames(event.previous.value);
    const cause = describeCrdEvent(event);
    if (event.type === "delete" || !isJsonEqual(before as JsonObject, getAcceptedNames(event.value) as JsonObject)) {
      for (const other of listGroup(event.value, name)) {
        runs?.enqueue(getName(other), cause);
        queue.add(getName(other));
      }
    }
    enqueue(name, cause);
  });
  for (const name of crds.keys()) enqueue(name, { event: "start" });

  return {
    listDefinitions: () => [...crds.values()],
    stop() {
      stopped = true;
      unwatch();
      for (const done of finalizing.values()) done();
    },
  };

  function listGroup(crd: JsonObject, except: string): JsonObject[] {
    return [...crds.values()].filter((other) => getGroup(other) === getGroup(crd) && getName(other) !== except);
  }

  function enqueue(name: string, cause: RunCause): void {
    runs?.enqueue(name, cause);
    queue.add(name);
    if (!working) runInBackground(processQueue());
  }

  async function processQueue(): Promise<void> {
    working = true;
    // Runs after all listeners of the commit.
    await undefined;
    for (const name of queue) {
      if (stopped) return;
      queue.delete(name);
      const run = runs?.begin(name, 0);
      const started = clock.monotonic();
      try {
        await reconcile(name, run);
      } catch {
        // A CRD that cannot be served stays as it is until its next change.
      } finally {
        run?.end({ result: "success", duration: clock.monotonic() - started });
      }
    }
    working = false;
  }

  /** Reconciles one CRD; a write enqueues it again. */
  async function reconcile(name: string, run: RecordedRun | undefined): Promise<void> {
    const crd = crds.get(name);
    if (crd === undefined) {
      served.delete(name);
      registry.set(name, []);
      return;
    }
    const now = formatTimestamp(clock.now());
    const named = setApprovalCondition(acceptNames(crd, collectTakenNames(listGroup(crd, name)), now), now);
    if (named !== crd && !isJsonEqual(named, crd)) {
      await updateStatus(named, run);
      return;
    }
    updateRegistry(name, crd);
    if (isConditionTrue(crd, "NamesAccepted") && !isConditionTrue(crd, "Established")) {
      const message = "the initial names have been accepted";
      await updateStatus(setCondition(crd, { type: "Established", status: "True", reason: "InitialNamesAccepted", message }, now), run);
      return;
    }
    const { deletionTimestamp, finalizers = [] } = getMetadata(crd);
    if (deletionTimestamp !== undefined && finalizers.includes(CLEANUP_FINALIZER)) await finalize(name, crd, run);
  }

  function updateRegistry(name: string, crd: JsonObject): void {
    if (!isConditionTrue(crd, "NamesAccepted") && !isConditionTrue(crd, "Established")) return;
    const { spec } = crd;
    const names = getAcceptedNames(crd);
    const uid = getMetadata(crd).uid as string;
    const terminating = isConditionTrue(crd, "Terminating");
    const before = served.get(name);
    const same =
      before !== undefined &&
      before.uid === uid &&
      isJsonEqual(before.spec as JsonObject, spec) &&
      isJsonEqual(before.names as JsonObject, names as JsonObject);
    const resources = same ? before.resources : buildServedVersions(crd, conversion);
    if (same && resources.every((each) => (each.terminating ?? false) === terminating)) return;
    const current = resources.map((each) => ({ ...each, terminating }));
    served.set(name, { uid, spec, names, resources: current });
    registry.set(name, current);
  }

  async function finalize(name: string, crd: JsonObject, run: RecordedRun | undefined): Promise<void> {
    if (finalizing.has(name)) return;
    const now = formatTimestamp(clock.now());
    if (!isConditionTrue(crd, "Established")) {
      const never = {
        type: "Terminating",
        status: "False",
        reason: "NeverEstablished",
        message: "resource was never established",
      } as const;
      await updateStatus(removeCleanupFinalizer(setCondition(crd, never, now)), run);
      return;
    }
    if (findCondition(crd, "Terminating")?.reason !== "InstanceDeletionInProgress") {
      const message = "CustomResource deletion is in progress";
      await updateStatus(
        setCondition(crd, { type: "Terminating", status: "True", reason: "InstanceDeletionInProgress", message }, now),
        run,
      );
      return;
    }
    const prefix = `${getStoragePrefix(crd)}/`;
    const { entries: left } = await store.range(prefix);
    if (left.length === 0) {
      const done = { type: "Terminating", status: "False", reason: "InstanceDeletionCompleted", message: "removed all instances" } as const;
      await updateStatus(removeCleanupFinalizer(setCondition(crd, done, now)), run);
      return;
    }
    finalizing.set(
      name,
      await store.watch(prefix, store.currentRevision(), (event) => {
        if (event.type !== "delete") return;
        finalizing.get(name)?.();
        finalizing.delete(name);
        enqueue(name, describeCrdEvent(event));
      }),
    );
    await deleteInstances(store, prefix, clock.now(), run);
  }
}

function removeCleanupFinalizer(crd: JsonObject): JsonObject {
  const finalizers = getMetadata(crd).finalizers?.filter((each) => each !== CLEANUP_FINALIZER) ?? [];
  return withMetadata(crd, { finalizers: finalizers.length === 0 ? undefined : finalizers });
}

function describeCrdEvent({ type, value, revision }: StoreEvent): RunCause {
  const { namespace, name = "", uid } = getMetadata(value);
  const kind = String(value["kind"] ?? "");
  const isDeleted = type === "delete";
  const object = { kind, namespace, name, uid, resourceVersion: isDeleted ? undefined : String(revision) };
  return { event: isDeleted ? "deleted" : "modified", object };
}

const getName = (crd: JsonObject) => getMetadata(crd).name as string;
const getGroup = (crd: JsonObject) => (crd["spec"] as JsonObject)["group"];

const NO_OPTIONS = { gracePeriodSeconds: undefined, propagationPolicy: undefined, orphanDependents: undefined };
const YIELD_AFTER = 50;

/**
 * Deletes the objects of a CRD that is being deleted: those with finalizers are marked. Works on the stored form, because no version may be
 * served, and calls no admission plugin, as kube-apiserver does.
 */
async function deleteInstances(store: ObjectStore, prefix: string, now: number, run: RecordedRun | undefined): Promise<void> {
  const { entries } = await store.range(prefix);
  for (const [index, entry] of entries.entries()) {
    if (index % YIELD_AFTER === YIELD_AFTER - 1) await setImmediate();
    await deleteInstance(store, entry, now, run);
  }
}

async function deleteInstance(store: ObjectStore, { key }: StoreEntry, now: number, run: RecordedRun | undefined): Promise<void> {
  for (let entry = await store.get(key); entry !== undefined; entry = await store.get(key)) {
    // The controller acts on its own: its commits belong to no request.
    const decision = decideDeletion(entry.value, NO_OPTIONS, {}, { user: APISERVER, now, recordCommit() {} });
    if (decision.type === "pending") return;
    const isRemoved = decision.type === "remove";
    const result = await store.txn(key, entry.revision, isRemoved ? { delete: true } : { put: decision.object });
    if (!result.ok) continue;
    run?.recordCommit({
      operation: isRemoved ? "delete" : "put",
      key,
      revision: result.entry.revision,
      uid: getMetadata(entry.value).uid ?? "",
    });
    return;
  }
}
