import type { JsonObject } from "pintle/kinds";
import { equal } from "pintle/merge";
import type { Clock } from "pintle/queue";
import type { Store } from "../../store/index.ts";
import { timestamp } from "../clock.ts";
import { metadataOf, withMetadata } from "../metadata/metadata.ts";
import type { Registry } from "../registry.ts";
import type { ServedResource } from "../resource.ts";
import { withApproval } from "./approval.ts";
import { condition, isTrue, withCondition } from "./condition.ts";
import type { ConversionContext } from "./conversion.ts";
import { CLEANUP, CRD_GROUP, CRD_PLURAL } from "./definition.ts";
import { acceptedNames, takenNames, withNames } from "./names.ts";
import { servedVersions } from "./served-versions.ts";

export interface RegistrarOptions {
  readonly store: Store;
  readonly registry: Registry;
  readonly clock: Clock;
  readonly conversion: ConversionContext;
  /** Writes a CRD's status; false when somebody else was faster, who will be seen. */
  updateStatus(crd: JsonObject): Promise<boolean>;
  /** Deletes every object of a resource in one namespace ("" for cluster-scoped ones). */
  deleteAll(resource: ServedResource, namespace: string): Promise<void>;
}

export interface Registrar {
  /** The CRDs there are. */
  definitions(): readonly JsonObject[];
  stop(): void;
}

const PREFIX = `/registry/${CRD_GROUP}/${CRD_PLURAL}/`;

/** Follows CRDs: accepts their names, serves what they define, and clears up behind them. */
export async function registrar({ store, registry, clock, conversion, updateStatus, deleteAll }: RegistrarOptions): Promise<Registrar> {
  const crds = new Map<string, JsonObject>();
  /** What is served of a CRD, and by what of it. */
  const served = new Map<
    string,
    { readonly uid: string; readonly spec: unknown; readonly names: unknown; readonly resources: readonly ServedResource[] }
  >();
  const waiting = new Set<string>();
  /** CRDs whose last objects are being waited for. */
  const emptying = new Map<string, () => void>();
  let stopped = false;
  let working = false;

  const { entries, revision } = await store.range(PREFIX);
  for (const { value } of entries) crds.set(nameOf(value), value);
  const unwatch = await store.watch(PREFIX, revision, (event) => {
    const name = nameOf(event.value);
    if (event.type === "put") crds.set(name, event.value);
    else crds.delete(name);
    // It may have let go of a name that others of its group are waiting for.
    const before = event.previous === undefined ? {} : acceptedNames(event.previous.value);
    if (event.type === "delete" || !equal(before as JsonObject, acceptedNames(event.value) as JsonObject)) {
      for (const other of ofGroup(event.value, name)) waiting.add(nameOf(other));
    }
    wake(name);
  });
  for (const name of crds.keys()) wake(name);

  return {
    definitions: () => [...crds.values()],
    stop() {
      stopped = true;
      unwatch();
      for (const done of emptying.values()) done();
    },
  };

  function ofGroup(crd: JsonObject, except: string): JsonObject[] {
    return [...crds.values()].filter((other) => groupOf(other) === groupOf(crd) && nameOf(other) !== except);
  }

  function wake(name: string): void {
    waiting.add(name);
    if (!working) void work();
  }

  async function work(): Promise<void> {
    working = true;
    // After the commit that woke it is through with its listeners.
    await undefined;
    for (const name of waiting) {
      if (stopped) return;
      waiting.delete(name);
      try {
        await sync(name);
      } catch {
        // A CRD that cannot be served stays as it is; its next change is another attempt.
      }
    }
    working = false;
  }

  /** One step; if it writes, the write leads to the next. */
  async function sync(name: string): Promise<void> {
    const crd = crds.get(name);
    if (crd === undefined) {
      served.delete(name);
      registry.set(name, []);
      return;
    }
    const now = timestamp(clock.now());
    const named = withApproval(withNames(crd, takenNames(ofGroup(crd, name)), now), now);
    if (named !== crd && !equal(named, crd)) {
      await updateStatus(named);
      return;
    }
    serve(name, crd);
    if (isTrue(crd, "NamesAccepted") && !isTrue(crd, "Established")) {
      const message = "the initial names have been accepted";
      await updateStatus(withCondition(crd, { type: "Established", status: "True", reason: "InitialNamesAccepted", message }, now));
      return;
    }
    const { deletionTimestamp, finalizers = [] } = metadataOf(crd);
    if (deletionTimestamp !== undefined && finalizers.includes(CLEANUP)) await cleanUp(name, crd);
  }

  function serve(name: string, crd: JsonObject): void {
    if (!isTrue(crd, "NamesAccepted") && !isTrue(crd, "Established")) return;
    const { spec } = crd;
    const names = acceptedNames(crd);
    const uid = metadataOf(crd).uid as string;
    const terminating = isTrue(crd, "Terminating");
    const before = served.get(name);
    const same =
      before !== undefined &&
      before.uid === uid &&
      equal(before.spec as JsonObject, spec) &&
      equal(before.names as JsonObject, names as JsonObject);
    const resources = same ? before.resources : servedVersions(crd, conversion);
    if (same && resources.every((each) => (each.terminating ?? false) === terminating)) return;
    const current = resources.map((each) => ({ ...each, terminating }));
    served.set(name, { uid, spec, names, resources: current });
    registry.set(name, current);
  }

  async function cleanUp(name: string, crd: JsonObject): Promise<void> {
    if (emptying.has(name)) return;
    const now = timestamp(clock.now());
    if (!isTrue(crd, "Established")) {
      const never = {
        type: "Terminating",
        status: "False",
        reason: "NeverEstablished",
        message: "resource was never established",
      } as const;
      await updateStatus(released(withCondition(crd, never, now)));
      return;
    }
    if (condition(crd, "Terminating")?.reason !== "InstanceDeletionInProgress") {
      const message = "CustomResource deletion is in progress";
      await updateStatus(withCondition(crd, { type: "Terminating", status: "True", reason: "InstanceDeletionInProgress", message }, now));
      return;
    }
    const resources = served.get(name)?.resources ?? [];
    // In the version they are stored in, no webhook has to be asked.
    const resource = resources.find(({ version, storage }) => version === storage.version) ?? resources[0];
    if (resource === undefined) return;
    const prefix = `${resource.storage.prefix}/`;
    const { entries: left } = await store.range(prefix);
    if (left.length === 0) {
      const done = { type: "Terminating", status: "False", reason: "InstanceDeletionCompleted", message: "removed all instances" } as const;
      await updateStatus(released(withCondition(crd, done, now)));
      return;
    }
    emptying.set(
      name,
      await store.watch(prefix, store.currentRevision(), (event) => {
        if (event.type !== "delete") return;
        emptying.get(name)?.();
        emptying.delete(name);
        wake(name);
      }),
    );
    const namespaces = new Set(left.map(({ value }) => metadataOf(value).namespace ?? ""));
    for (const namespace of namespaces) await deleteAll(resource, namespace);
  }
}

function released(crd: JsonObject): JsonObject {
  const finalizers = metadataOf(crd).finalizers?.filter((each) => each !== CLEANUP) ?? [];
  return withMetadata(crd, { finalizers: finalizers.length === 0 ? undefined : finalizers });
}

const nameOf = (crd: JsonObject) => metadataOf(crd).name as string;
const groupOf = (crd: JsonObject) => (crd["spec"] as JsonObject)["group"];
