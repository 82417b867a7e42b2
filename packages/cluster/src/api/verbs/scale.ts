import { isObject, type Json, type JsonObject } from "pintle/kinds";
import { ApiError, badRequest, fieldError, goJson, internalError, invalid } from "../../status/index.ts";
import { decodeBody, decodePatchBody } from "../body.ts";
import type { Call } from "../call.ts";
import { wrongPatch } from "../decode.ts";
import { metadataOf, withMetadata } from "../metadata/metadata.ts";
import { writeOptions } from "../options/write-options.ts";
import { applied, tracked } from "../ownership.ts";
import { age } from "../present/human-duration.ts";
import { presentObject } from "../present/present.ts";
import { apiVersionOf, type ScaleSubresource, type TableColumn, type TablePrinter } from "../resource.ts";
import { labelSelectorText } from "../selectors/label-selector.ts";
import type { Shown } from "./admission-request.ts";
import type { Answered } from "./answered.ts";
import { liveObject } from "./get.ts";
import { checkName } from "./namespace.ts";
import { APPLY, patcher, patchType } from "./patch.ts";
import { update } from "./update.ts";

export async function getScale(call: Call, scale: ScaleSubresource): Promise<Answered> {
  return answer(call, 200, scaleOf(await liveObject(call), scale));
}

export async function replaceScale(call: Call, scale: ScaleSubresource): Promise<Answered> {
  const options = writeOptions("UpdateOptions", call.request.query, call.request.headers);
  const wanted = decodeScale((await decodeBody(call.request, { apiVersion: "autoscaling/v1", kind: "Scale" }))?.value);
  checkName(call, wanted);
  return write(call, scale, options, metadataOf(wanted).uid, () => wanted);
}

export async function patchScale(call: Call, scale: ScaleSubresource): Promise<Answered> {
  const { request, resource } = call;
  const type = patchType(request, resource);
  const options = writeOptions("PatchOptions", request.query, request.headers, type === APPLY);
  const { value } = await decodePatchBody(request);
  if (type === APPLY) return applyScale(call, scale, options, value);
  const apply = patcher(type, value, { schema: { ...resource.schema, shape: {} } });
  return write(call, scale, options, undefined, (live) => {
    const patched = apply(scaleOf(live, { ...scale, defaultReplicas: 0 }));
    return decodeScale(patched, (why) => wrongPatch(goJson(patched), why));
  });
}

interface Options {
  readonly dryRun: boolean;
  readonly manager: string;
  readonly force: boolean;
}

async function write(
  call: Call,
  scale: ScaleSubresource,
  options: Options,
  uid: string | undefined,
  wanted: (live: JsonObject) => JsonObject,
) {
  const { viewed } = await update(call, {
    dryRun: options.dryRun,
    uid,
    creates: false,
    shown: shownAs(scale),
    next(live) {
      const current = live as JsonObject;
      const asked = wanted(current);
      if (call.resource.typed) checkReplicas(asked);
      const changed = setPath(current, scale.specReplicas, replicasOf(asked)) as JsonObject;
      const { resourceVersion } = metadataOf(asked);
      const next = resourceVersion === undefined ? changed : withMetadata(changed, { resourceVersion });
      // To a Scale, an object whose replicas nobody owns is one that nobody tracks: it stays so.
      return isOwned(current, scale.specReplicas) ? tracked(call, next, current, options.manager) : next;
    },
  });
  return answer(call, 200, scaleOf(viewed.object, scale));
}

const SCALE = { group: "autoscaling", version: "v1", kind: "Scale" };

function shownAs(scale: ScaleSubresource): Shown {
  return {
    kind: SCALE,
    of: (object) => scaleOf(object, { ...scale, defaultReplicas: 0 }),
    into: (object, shown) => setPath(object, scale.specReplicas, replicasOf(shown)) as JsonObject,
  };
}

/** An applied Scale owns the replicas of its parent, so it is applied as that part of the parent. */
async function applyScale(call: Call, scale: ScaleSubresource, options: Options, value: unknown): Promise<Answered> {
  const { resource, info } = call;
  const wanted = decodeScale(value);
  const identity = { apiVersion: apiVersionOf(resource), kind: resource.kind, metadata: { name: info.name } };
  const config = setPath(identity, scale.specReplicas, replicasOf(wanted)) as JsonObject;
  const { viewed } = await update(call, {
    dryRun: options.dryRun,
    creates: false,
    shown: shownAs(scale),
    next(live) {
      if (!resource.typed) checkConvertible(call, live as JsonObject, scale, replicasOf(wanted));
      return applied(call, config, live, options.manager, options.force);
    },
  });
  return answer(call, 200, scaleOf(viewed.object, scale));
}

/** Upstream cannot convert the Scale of a custom resource, and finds that out as soon as there is something to convert. */
function checkConvertible({ info }: Call, live: JsonObject, scale: ScaleSubresource, replicas: number): void {
  const isTracked = isOwned(live, scale.specReplicas);
  if (isTracked && readPath(live, scale.specReplicas) === replicas) return;
  const failed = (what: string) => `failed to convert ${what}; autoscaling/v1, Kind=Scale) to proper version`;
  const where = isTracked
    ? failed(`new object (${info.namespace}/${info.name}`)
    : `failed to create manager for existing fields: ${failed("live object (/")}`;
  throw new ApiError(500, "", `${where}: request to convert CR to an invalid group/version: autoscaling/v1`);
}

function isOwned(object: JsonObject, path: readonly string[]): boolean {
  const fields = path.map((name) => `f:${name}`);
  const entries = (metadataOf(object).managedFields ?? []) as readonly JsonObject[];
  return entries.some(({ fieldsV1 }) => readPath(fieldsV1, fields) !== undefined);
}

/** The autoscaling/v1 Scale of an object. */
export function scaleOf(object: JsonObject, scale: ScaleSubresource): JsonObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = metadataOf(object);
  const replicas = readPath(object, scale.specReplicas) ?? scale.defaultReplicas;
  if (replicas === undefined) throw internalError(`the spec replicas field ${shown(scale.specReplicas)} does not exist`);
  const selector = scale.selector === undefined ? undefined : readPath(object, scale.selector);
  const text = isObject(selector) ? labelSelectorText(asSelector(selector)) : selector;
  return {
    kind: "Scale",
    apiVersion: "autoscaling/v1",
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    spec: replicas === 0 ? {} : { replicas },
    status: { replicas: readPath(object, scale.statusReplicas) ?? 0, ...(text === undefined || text === "" ? {} : { selector: text }) },
  };
}

/** A replication controller selects by a plain map of labels. */
function asSelector(selector: JsonObject): JsonObject {
  return "matchLabels" in selector || "matchExpressions" in selector ? selector : { matchLabels: selector };
}

const shown = (path: readonly string[]) => JSON.stringify(`.${path.join(".")}`);

const unreadable = (why: string) => badRequest(`Scale in version "v1" cannot be handled as a Scale: ${why}`);

function decodeScale(value: unknown, wrong: (why: string) => ApiError = unreadable): JsonObject {
  if (!isObject(value)) throw badRequest("the object provided is unrecognized (must be of type Scale)");
  const { kind, apiVersion, spec } = value;
  if (kind !== undefined && kind !== "Scale")
    throw badRequest('no kind is registered for the type v1.Scale in scheme "pkg/runtime/scheme.go:111"');
  if (apiVersion !== undefined && apiVersion !== "autoscaling/v1") {
    throw badRequest(`the API version in the data (${String(apiVersion)}) does not match the expected API version (autoscaling/v1)`);
  }
  const replicas = isObject(spec) ? spec["replicas"] : undefined;
  if (replicas !== undefined && replicas !== null && !Number.isInteger(replicas)) {
    throw wrong(`json: cannot unmarshal ${typeof replicas} into Go struct field ScaleSpec.spec.replicas of type int32`);
  }
  return value;
}

/** Built-in kinds judge the Scale before the object. */
function checkReplicas(scale: JsonObject): void {
  const replicas = replicasOf(scale);
  if (replicas >= 0) return;
  const problem = fieldError.invalid("spec.replicas", replicas, "must be greater than or equal to 0");
  throw invalid({ group: "autoscaling", resource: "Scale" }, metadataOf(scale).name ?? "", [problem]);
}

/** Go's zero: a Scale without replicas asks for none. */
function replicasOf(scale: JsonObject): number {
  const { spec } = scale;
  return isObject(spec) ? ((spec["replicas"] ?? 0) as number) : 0;
}

export function readPath(object: Json | undefined, path: readonly string[]): Json | undefined {
  let value: Json | undefined = object;
  for (const field of path) value = isObject(value) ? value[field] : undefined;
  return value;
}

export function setPath(object: Json | undefined, [field, ...rest]: readonly string[], value: Json): Json {
  if (field === undefined) return value;
  const fields = isObject(object) ? object : {};
  return { ...fields, [field]: setPath(fields[field], rest, value) };
}

const column = (name: string, type: TableColumn["type"]) => ({ name, type, format: "", description: "", priority: 0 }) as const;

const TABLE: TablePrinter = {
  columns: [column("Name", "string"), column("Desired", "integer"), column("Available", "integer"), column("Age", "string")],
  cells(scale, now) {
    const { name = "", creationTimestamp } = metadataOf(scale);
    return [name, replicasOf(scale), readPath(scale, ["status", "replicas"]) ?? 0, age(creationTimestamp, now)];
  },
};

function answer({ view }: Call, status: number, scale: JsonObject): Answered {
  return { status, value: presentObject({ ...view, resource: { ...view.resource, table: TABLE } }, scale) };
}
