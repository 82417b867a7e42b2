import { createHash } from "node:crypto";
import { type Client, NotFound } from "pintle/client";
import { encodeGoJson } from "pintle/internal/go-format";
import type { JsonObject } from "pintle/internal/json";
import { diffObjects } from "pintle/internal/merge";
import type { AnyKind } from "pintle/kinds";
import { listOperatorRights, listWorkloadImages, subtractRights, WORKLOAD_KINDS } from "../../policy/index.ts";
import { checkCrdUpgrade, findBreakingCrdChanges } from "../../safety/index.ts";
import { formatTime } from "../api/conditions.ts";
import { describeError, failure } from "../api/failures.ts";
import { MANAGED_BY_LABEL, OBJECT_FIELD_MANAGER } from "../api/names.ts";
import type {
  ExtensionPlan,
  ExtensionPlanStatus,
  PlannedBundle,
  PlannedDefinition,
  PlannedImage,
  PlannedObject,
} from "../api/policy-types.ts";
import { MAX_PLANNED } from "../crds/index.ts";
import { type DesiredObject, formatGvkAndKey, type LiveObject, scopeObject } from "../object-sets/objects.ts";

/** The input of a plan. */
export interface PlanInput {
  readonly extension: string;
  readonly from: PlannedBundle | undefined;
  readonly to: PlannedBundle;
  /** The rendered objects of the new revision. */
  readonly objects: readonly JsonObject[];
  /** The objects of the revision that is to be replaced. */
  readonly current: readonly JsonObject[];
  readonly images: ExtensionPlanStatus["images"];
  readonly refused: NonNullable<ExtensionPlanStatus["refused"]>;
  readonly now: number;
}

/** A plan, before it is written. */
export interface ComputedPlan {
  readonly spec: ExtensionPlan["spec"];
  readonly status: ExtensionPlanStatus;
}

/** Metadata that every revision changes, so that plans leave it out. */
const BOOKKEEPING = [".metadata.ownerReferences", ".metadata.generation", ".metadata.creationTimestamp", ".metadata.uid"];
const MARKS = ["olm.operatorframework.io/", MANAGED_BY_LABEL];

function isMark(path: string): boolean {
  if (BOOKKEEPING.some((field) => path.startsWith(field))) return true;
  if (!path.startsWith(".metadata.annotations") && !path.startsWith(".metadata.labels")) return false;
  return MARKS.some((mark) => path.includes(mark));
}

/**
 * Computes what a new revision would do: by dry runs of server-side apply on the live objects, so that defaults, admission and the fields of others are those
 * of this cluster. The digest covers all changes, so an approved plan is not executed if its changes differ.
 */
export async function computePlan(client: Client, input: PlanInput): Promise<ComputedPlan> {
  const objects = await scopeObjects(client, input.objects);
  const current = await scopeObjects(client, input.current);
  const create: PlannedObject[] = [];
  const change: PlannedObject[] = [];
  const definitions: PlannedDefinition[] = [];
  const computedFrom: { object: string; resourceVersion: string }[] = [];
  for (const object of objects) {
    const found = await findLive(client, object);
    if (found === undefined) {
      create.push(referTo(object));
      continue;
    }
    const { kind, live } = found;
    computedFrom.push({ object: formatGvkAndKey(object), resourceVersion: live.metadata.resourceVersion });
    const fields = await findChangedFields(client, kind, object, live);
    if (fields.length > 0) change.push({ ...referTo(object), fields });
    if (object.kind === "CustomResourceDefinition") definitions.push(...compareDefinitions(object, live));
  }
  const kept = new Set(objects.map(formatGvkAndKey));
  const remove = current.filter((object) => !kept.has(formatGvkAndKey(object))).map(referTo);
  const [before, after] = [listOperatorRights(current), listOperatorRights(objects)];
  const restarts = change.filter(
    ({ apiVersion, kind, fields = [] }) =>
      apiVersion === "apps/v1" && WORKLOAD_KINDS.includes(kind) && fields.some((field) => field.startsWith(".spec.template")),
  );
  const rightsAdded = subtractRights(after, before);
  const rightsRemoved = subtractRights(before, after);
  const { extension, from, to } = input;
  const desired = createHash("sha256")
    .update(encodeGoJson(input.objects as JsonObject[]))
    .digest("hex");
  const covered = { extension, ...(from === undefined ? {} : { from }), to, desired, create, change, remove, rightsAdded, rightsRemoved };
  const digest = `sha256:${createHash("sha256")
    .update(encodeGoJson(covered as unknown as JsonObject))
    .digest("hex")}`;
  const cut = <T>(list: readonly T[]): readonly T[] => list.slice(0, MAX_PLANNED);
  return {
    spec: { extension, ...(from === undefined ? {} : { from }), to, digest },
    status: {
      create: cut(create),
      change: cut(change),
      remove: cut(remove),
      rightsAdded: cut(rightsAdded),
      rightsRemoved: cut(rightsRemoved),
      definitions: cut(definitions),
      refused: cut(input.refused),
      restarts,
      images: cut(input.images ?? listWorkloadImages(objects).map((image): PlannedImage => ({ image, signature: "Unchecked" }))),
      computedAt: formatTime(input.now),
      computedFrom: cut(computedFrom),
    },
  };
}

/** Bundles give a namespace to objects that have none. Kinds that are not served yet are left as they are. */
export async function scopeObjects(client: Client, objects: readonly JsonObject[]): Promise<DesiredObject[]> {
  return Promise.all(
    (objects as readonly DesiredObject[]).map(async (object) => {
      const kind = await client.discoverKind(object.apiVersion, object.kind).catch((error: unknown) => {
        if (error instanceof NotFound) return undefined;
        throw failure(`planning ${formatGvkAndKey(object)}: ${describeError(error)}`, error);
      });
      return kind === undefined ? object : scopeObject(kind as AnyKind, object);
    }),
  );
}

async function findLive(client: Client, object: DesiredObject): Promise<{ readonly kind: AnyKind; readonly live: LiveObject } | undefined> {
  const { name, namespace } = object.metadata;
  try {
    const kind = (await client.discoverKind(object.apiVersion, object.kind)) as AnyKind;
    const live = (await client.find(kind, { name, namespace } as never)) as LiveObject | undefined;
    return live === undefined ? undefined : { kind, live };
  } catch (error) {
    if (error instanceof NotFound) return undefined;
    throw failure(`planning ${formatGvkAndKey(object)}: ${describeError(error)}`, error);
  }
}

async function findChangedFields(client: Client, kind: AnyKind, object: DesiredObject, live: LiveObject): Promise<string[]> {
  const applied = await client
    .apply(kind, object as never, { dryRun: true, force: true, fieldManager: OBJECT_FIELD_MANAGER })
    .catch((error: unknown) => {
      throw failure(`planning ${formatGvkAndKey(object)}: ${describeError(error)}`, error);
    });
  const changes = diffObjects(live as unknown as JsonObject, applied as unknown as JsonObject);
  return changes.map(({ path }) => path).filter((path) => !isMark(path));
}

function compareDefinitions(object: DesiredObject, live: LiveObject): PlannedDefinition[] {
  const { name } = object.metadata;
  const breaking = checkCrdUpgrade(live as unknown as JsonObject, object).map(
    ({ version, path, rule, message }): PlannedDefinition => ({
      name,
      severity: "Breaking",
      message: [version, path, rule, message].filter((part) => part !== undefined && part !== "").join(": "),
    }),
  );
  const warnings = findBreakingCrdChanges(live as unknown as JsonObject, object).map(
    ({ field, keyword, detail }): PlannedDefinition => ({ name, severity: "Warning", message: `${field}: ${keyword}: ${detail}` }),
  );
  return [...breaking, ...warnings];
}

function referTo({ apiVersion, kind, metadata }: DesiredObject): PlannedObject {
  const { name, namespace } = metadata;
  return { apiVersion, kind, ...(namespace === undefined ? {} : { namespace }), name };
}

/** Whether a plan changes nothing but the ownership labels and annotations of objects. */
export function isEmptyPlan({ status }: ComputedPlan): boolean {
  return [status.create, status.change, status.remove].every((list) => (list ?? []).length === 0);
}
