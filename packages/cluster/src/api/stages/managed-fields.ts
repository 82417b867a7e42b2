import { stringifyJson } from "pintle/internal/json";
import { memoize } from "pintle/internal/memoize";
import { buildFieldSet, type FieldSet, fieldElement, formatViolations, validateAgainstShape } from "pintle/internal/merge";
import type { JsonObject } from "pintle/kinds";
import {
  type AsyncVersionConverter,
  applyConfigurationAsync,
  applyConfiguration as applyServerSide,
  updateManagedFields as computeManagedFields,
  updateManagedFieldsAsync,
  type VersionConverter,
} from "../../apply/index.ts";
import { DecodeError } from "../../schema/decode/index.ts";
import { ApiError } from "../../status/index.ts";
import { APPLY_PATCH } from "../decode/patch-type.ts";
import { getMetadata, withMetadata } from "../metadata/object-meta.ts";
import { formatTimestamp } from "../metadata/timestamp.ts";
import { type Conversion, formatApiVersion, type ServedResource, type UpdateStrategy } from "../registry/served-resource.ts";
import type { RequestContext } from "../request-context.ts";
import { getUpdateStrategy } from "../strategy/prepare.ts";
import { isScaleTracked } from "../strategy/scale.ts";

/**
 * Records in `metadata.managedFields` which fields the request's field manager changed. An apply did that in `patch`.
 * Waits only where owners of fields in other versions need a conversion webhook, and in large requests for turns. Reads `object`, `live`, `writeOptions`; writes `object`.
 */
export function updateManagedFields(context: RequestContext): RequestContext | Promise<RequestContext> {
  const { live, subresource, patchType } = context;
  if (patchType === APPLY_PATCH) return context;
  if (subresource?.type === "scale" && !isScaleTracked(live as JsonObject, subresource)) return context;
  const update = { live, next: context.object, manager: context.writeOptions.fieldManager, ...buildInput(context) };
  const convert = getConversionWebhook(context);
  if (convert !== undefined || context.turns !== undefined)
    return updateAsync(context, { ...update, convert: convert ?? createConverter(context) });
  try {
    context.object = computeManagedFields({ ...update, convert: createConverter(context) });
  } catch (error) {
    context.object = dropManagedFields(context, error);
  }
  return context;
}

async function updateAsync(context: RequestContext, update: Parameters<typeof updateManagedFieldsAsync>[0]): Promise<RequestContext> {
  try {
    context.object = await updateManagedFieldsAsync(update, context.turns?.wait);
  } catch (error) {
    context.object = dropManagedFields(context, error);
  }
  return context;
}

/** A write must not fail over managed fields: an object that a version cannot represent loses them. */
function dropManagedFields({ object }: RequestContext, error: unknown): JsonObject {
  if (!(error instanceof UnconvertibleError)) throw error;
  return withMetadata(object, { managedFields: undefined });
}

/** Merges an applied configuration into the live object. Throws 409 where another manager owns a field that would change. */
export function applyConfiguration(context: RequestContext, config: JsonObject): JsonObject | Promise<JsonObject> {
  const { live, resource, writeOptions } = context;
  context.appliesEmptyMetadata = false;
  const defaults = (object: JsonObject) => {
    if (!resource.typed && Object.values(getMetadata(object)).some(isEmptyObject)) context.appliesEmptyMetadata = true;
    return decodeMergedObject(context, object);
  };
  const { fieldManager: manager, force } = writeOptions;
  const apply = { kind: resource.kind, live, config, manager, force, defaults, ...buildInput(context) };
  const convert = getConversionWebhook(context);
  const { turns } = context;
  if (convert === undefined && turns === undefined) return applyServerSide({ ...apply, convert: createConverter(context) });
  return applyConfigurationAsync({ ...apply, convert: convert ?? createConverter(context) }, turns?.wait);
}

const isEmptyObject = (value: unknown) => typeof value === "object" && value !== null && Object.keys(value).length === 0;

/** Prunes and defaults a merged object as if it had been sent. */
function decodeMergedObject({ resource, info }: RequestContext, object: JsonObject): JsonObject {
  try {
    return resource.schema.default(resource.schema.prune(object).object);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    const kind = `${formatApiVersion(resource)}, Kind=${resource.kind}`;
    const what = `failed to convert new object (${info.namespace}/${info.name}; ${kind}) to proper version`;
    throw new ApiError(500, "", `${what}: unable to convert unstructured object to ${kind}: ${error.conversionMessage}`);
  }
}

function buildInput({ server, bodyResource: resource, info }: RequestContext) {
  return {
    apiVersion: formatApiVersion(resource),
    subresource: info.subresource,
    now: formatTimestamp(server.clock.now()),
    shape: resource.schema.shape,
    blank: resource.schema.zeroValue,
    resetFields: getResetFields(getUpdateStrategy(resource, info.subresource)),
  };
}

/** Cached by strategy, which exists as long as its resource is served. */
const getResetFields = memoize(({ resetFields }: UpdateStrategy): FieldSet | undefined =>
  resetFields === undefined ? undefined : buildFieldSet(...resetFields.map((path) => path.map(fieldElement))),
);

/** An object has a field that another version, in which a manager owns fields, does not know. */
class UnconvertibleError extends ApiError {}

/** Creates the converter for versions that need no webhook; undefined where all versions are treated as the same. */
function createConverter({ server, bodyResource: resource }: RequestContext): VersionConverter | undefined {
  const { storage } = resource;
  const versions = server.registry.versionsOf(resource.group, resource.plural);
  if (versions.length > 1 && storage.conversion !== undefined && storage.convertToVersion === undefined) return undefined;
  return (object, apiVersion) => {
    const other = findVersion(versions, resource, apiVersion);
    if (other === undefined) return undefined;
    return checkConverted(storage.convertToVersion?.(object, other.version) ?? { ...object, apiVersion }, other);
  };
}

/** Creates the converter that calls the webhook of a CRD, once for equal objects. New objects have no owners in other versions. */
function getConversionWebhook({ server, resource, operation }: RequestContext): AsyncVersionConverter | undefined {
  const callWebhook: Conversion["convert"] = resource.storage.conversion?.convert;
  if (callWebhook === undefined || (operation !== "update" && operation !== "patch")) return undefined;
  const versions = server.registry.versionsOf(resource.group, resource.plural);
  const converted = new Map<string, JsonObject>();
  return async (object, apiVersion) => {
    const other = findVersion(versions, resource, apiVersion);
    if (other === undefined) return undefined;
    const key = `${apiVersion} ${stringifyJson(object)}`;
    const found = converted.get(key) ?? ((await callWebhook([object], apiVersion))[0] as JsonObject);
    converted.set(key, found);
    return checkConverted(found, other);
  };
}

function findVersion(versions: readonly ServedResource[], { group }: ServedResource, apiVersion: string): ServedResource | undefined {
  const found = versions.find((each) => formatApiVersion(each) === apiVersion);
  // Events are served in two groups, but managers own their fields in one.
  if (found === undefined && parseGroup(apiVersion) !== group) {
    throw new UnconvertibleError(500, "", `${apiVersion} is not a version of ${group}`);
  }
  return found;
}

function checkConverted(object: JsonObject, { schema }: ServedResource) {
  const faults = validateAgainstShape(object, schema.shape);
  if (faults.length > 0) throw new UnconvertibleError(500, "", formatViolations(faults));
  return { object, shape: schema.shape };
}

function parseGroup(apiVersion: string): string {
  return apiVersion.includes("/") ? apiVersion.slice(0, apiVersion.indexOf("/")) : "";
}
