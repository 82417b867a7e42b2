import { encodeGoJson } from "pintle/internal/go-format";
import { isJsonObject } from "pintle/internal/json";
import { formatLabelSelector } from "pintle/internal/selectors";
import type { Json, JsonObject } from "pintle/kinds";
import { ApiError, badRequest, fieldError, internalError, invalid } from "../../status/index.ts";
import type { SubresourceView } from "../admission/admission-request.ts";
import { invalidPatchError } from "../decode/decode-object.ts";
import { decodeRequestBody, type ReceivedBody } from "../decode/request-body.ts";
import { formatAge } from "../encoding/human-duration.ts";
import { getMetadata, withMetadata } from "../metadata/object-meta.ts";
import {
  formatApiVersion,
  type ScaleSubresource,
  type ServedResource,
  type TableColumn,
  type TablePrinter,
} from "../registry/served-resource.ts";
import type { RequestContext } from "../request-context.ts";

/**
 * The scale subresource: reads and writes an autoscaling/v1 Scale as a view on three fields of an object.
 * The functions here are called by the stages of the pipeline.
 */

export async function decodeScaleBody(received: ReceivedBody): Promise<JsonObject> {
  return decodeScale((await decodeRequestBody(received, { apiVersion: "autoscaling/v1", kind: "Scale" }))?.value);
}

/** Returns the live object with the replicas of the Scale that was sent. */
export function replaceScale(context: RequestContext, scale: ScaleSubresource): JsonObject {
  return writeScale(context, scale, context.requestedObject);
}

/** Returns the live object with the replicas of its Scale after the patch. */
export function patchScale(
  context: RequestContext,
  scale: ScaleSubresource,
  applyPatch: (type: string, patch: unknown, object: JsonObject, resource: Pick<ServedResource, "schema">) => JsonObject,
): JsonObject {
  const { resource, patchType, patchBody, live } = context;
  const before = buildScale(live as JsonObject, { ...scale, defaultReplicas: 0 });
  const patched = applyPatch(patchType, patchBody?.value, before, { schema: { ...resource.schema, shape: {} } });
  return writeScale(
    context,
    scale,
    decodeScale(patched, (why) => invalidPatchError(encodeGoJson(patched), why)),
  );
}

function writeScale({ resource, live }: RequestContext, scale: ScaleSubresource, requested: JsonObject): JsonObject {
  if (resource.typed) checkReplicas(requested);
  const changed = setPath(live, scale.specReplicas, getReplicas(requested)) as JsonObject;
  const { resourceVersion } = getMetadata(requested);
  return resourceVersion === undefined ? changed : withMetadata(changed, { resourceVersion });
}

/** Builds the configuration to apply to the parent: an applied Scale owns the replicas of its parent. */
export function applyScale(context: RequestContext, scale: ScaleSubresource): JsonObject {
  const { resource, info, requestedObject } = context;
  const replicas = getReplicas(requestedObject);
  if (!resource.typed) checkConvertible(context, context.live as JsonObject, scale, replicas);
  const identity = { apiVersion: formatApiVersion(resource), kind: resource.kind, metadata: { name: info.name } };
  return setPath(identity, scale.specReplicas, replicas) as JsonObject;
}

/** Whether the object's replicas have a manager: a Scale does not start to track an object that is not tracked. */
export function isScaleTracked(live: JsonObject, { specReplicas }: ScaleSubresource): boolean {
  return isFieldOwned(live, specReplicas);
}

const SCALE = { group: "autoscaling", version: "v1", kind: "Scale" };

export function createScaleView(scale: ScaleSubresource): SubresourceView {
  return {
    kind: SCALE,
    read: (object) => buildScale(object, { ...scale, defaultReplicas: 0 }),
    write: (object, shown) => setPath(object, scale.specReplicas, getReplicas(shown)) as JsonObject,
  };
}

/** kube-apiserver cannot convert the Scale of a custom resource, and reports that as soon as there is something to convert. */
function checkConvertible({ info }: RequestContext, live: JsonObject, scale: ScaleSubresource, replicas: number): void {
  const isTracked = isFieldOwned(live, scale.specReplicas);
  if (isTracked && readPath(live, scale.specReplicas) === replicas) return;
  const conversionMessage = (what: string) => `failed to convert ${what}; autoscaling/v1, Kind=Scale) to proper version`;
  const where = isTracked
    ? conversionMessage(`new object (${info.namespace}/${info.name}`)
    : `failed to create manager for existing fields: ${conversionMessage("live object (/")}`;
  throw new ApiError(500, "", `${where}: request to convert CR to an invalid group/version: autoscaling/v1`);
}

function isFieldOwned(object: JsonObject, path: readonly string[]): boolean {
  const fields = path.map((name) => `f:${name}`);
  const entries = (getMetadata(object).managedFields ?? []) as readonly JsonObject[];
  return entries.some(({ fieldsV1 }) => readPath(fieldsV1, fields) !== undefined);
}

/** The autoscaling/v1 Scale of an object. */
export function buildScale(object: JsonObject, scale: ScaleSubresource): JsonObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = getMetadata(object);
  const replicas = readPath(object, scale.specReplicas) ?? scale.defaultReplicas;
  if (replicas === undefined) throw internalError(`the spec replicas field ${formatFieldPath(scale.specReplicas)} does not exist`);
  const selector = scale.selector === undefined ? undefined : readPath(object, scale.selector);
  const text = isJsonObject(selector) ? formatLabelSelector(normalizeSelector(selector)) : selector;
  return {
    kind: "Scale",
    apiVersion: "autoscaling/v1",
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    spec: replicas === 0 ? {} : { replicas },
    status: { replicas: readPath(object, scale.statusReplicas) ?? 0, ...(text === undefined || text === "" ? {} : { selector: text }) },
  };
}

/** A replication controller selects by a plain map of labels. */
function normalizeSelector(selector: JsonObject): JsonObject {
  return "matchLabels" in selector || "matchExpressions" in selector ? selector : { matchLabels: selector };
}

const formatFieldPath = (path: readonly string[]) => JSON.stringify(`.${path.join(".")}`);

const undecodableScaleError = (why: string) => badRequest(`Scale in version "v1" cannot be handled as a Scale: ${why}`);

export function decodeScale(value: unknown, wrong: (why: string) => ApiError = undecodableScaleError): JsonObject {
  if (!isJsonObject(value)) throw badRequest("the object provided is unrecognized (must be of type Scale)");
  const { kind, apiVersion, spec } = value;
  if (kind !== undefined && kind !== "Scale")
    throw badRequest('no kind is registered for the type v1.Scale in scheme "pkg/runtime/scheme.go:111"');
  if (apiVersion !== undefined && apiVersion !== "autoscaling/v1") {
    throw badRequest(`the API version in the data (${String(apiVersion)}) does not match the expected API version (autoscaling/v1)`);
  }
  const replicas = isJsonObject(spec) ? spec["replicas"] : undefined;
  if (replicas !== undefined && replicas !== null && !Number.isInteger(replicas)) {
    throw wrong(`json: cannot unmarshal ${typeof replicas} into Go struct field ScaleSpec.spec.replicas of type int32`);
  }
  return value;
}

/** Built-in kinds validate the Scale before the object. */
function checkReplicas(scale: JsonObject): void {
  const replicas = getReplicas(scale);
  if (replicas >= 0) return;
  const problem = fieldError.invalid("spec.replicas", replicas, "must be greater than or equal to 0");
  throw invalid({ group: "autoscaling", resource: "Scale" }, getMetadata(scale).name ?? "", [problem]);
}

/** A Scale without replicas has Go's zero value. */
function getReplicas(scale: JsonObject): number {
  const { spec } = scale;
  return isJsonObject(spec) ? ((spec["replicas"] ?? 0) as number) : 0;
}

function readPath(object: Json | undefined, path: readonly string[]): Json | undefined {
  let value: Json | undefined = object;
  for (const field of path) value = isJsonObject(value) ? value[field] : undefined;
  return value;
}

function setPath(object: Json | undefined, [field, ...rest]: readonly string[], value: Json): Json {
  if (field === undefined) return value;
  const fields = isJsonObject(object) ? object : {};
  return { ...fields, [field]: setPath(fields[field], rest, value) };
}

const buildColumn = (name: string, type: TableColumn["type"], format = "") =>
  ({ name, type, format, description: "", priority: 0 }) as const;

export const SCALE_TABLE: TablePrinter = {
  columns: [
    buildColumn("Name", "string"),
    buildColumn("Desired", "integer"),
    buildColumn("Available", "integer"),
    buildColumn("Age", "string"),
  ],
  cells(scale, now) {
    const { name = "", creationTimestamp } = getMetadata(scale);
    return [name, getReplicas(scale), readPath(scale, ["status", "replicas"]) ?? 0, formatAge(creationTimestamp, now)];
  },
};

/** The same for custom resources, whose columns are declared in another way. */
export const CUSTOM_SCALE_TABLE: TablePrinter = {
  ...SCALE_TABLE,
  columns: [
    buildColumn("Name", "string", "name"),
    buildColumn("Desired", "integer"),
    buildColumn("Available", "integer"),
    buildColumn("Age", "date"),
  ],
};
