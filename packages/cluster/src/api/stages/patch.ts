import type { Json, JsonObject } from "pintle/kinds";
import { applyJsonPatch, applyMergePatch, applyStrategicMergePatch } from "../../apply/index.ts";
import { badRequest, conflict } from "../../status/index.ts";
import { decodePatchedObject, decodeStrategicMergedObject } from "../decode/decode-object.ts";
import { APPLY_PATCH, JSON_PATCH, MERGE_PATCH, STRATEGIC_MERGE_PATCH } from "../decode/patch-type.ts";
import { type DecodedBody, splitStrictError } from "../decode/request-body.ts";
import { getMetadata } from "../metadata/object-meta.ts";
import type { ServedResource } from "../registry/served-resource.ts";
import { checkNameMatchesUrl, ensureNamespace } from "../request/object-identity.ts";
import { getGroupResource, type RequestContext } from "../request-context.ts";
import { applyScale, patchScale, replaceScale } from "../strategy/scale.ts";
import { applyConfiguration } from "./managed-fields.ts";

/**
 * Builds the object that an update or a patch asks for from the live object. A server-side apply updates managed fields here
 * too, because merging needs them. Throws 409 or 422. Reads `requestedObject`, `patchType`, `patchBody`, `live`; writes `object`, `appliesEmptyMetadata`.
 */
export function patch(context: RequestContext): RequestContext | Promise<RequestContext> {
  const { operation, subresource, patchType } = context;
  if (subresource?.type === "scale") {
    if (patchType === APPLY_PATCH) return applyAndCheck(context, applyScale(context, subresource), false);
    context.object = operation === "update" ? replaceScale(context, subresource) : patchScale(context, subresource, applyPatch);
    return context;
  }
  if (operation === "update") {
    context.object = context.requestedObject;
    return context;
  }
  if (patchType === APPLY_PATCH) return applyAndCheck(context, buildAppliedConfiguration(context), true);
  context.object = ensureNamespace(context, patchObject(context));
  checkNameMatchesUrl(context, context.object);
  return context;
}

/** Applies a patch of this type to an object. */
export function applyPatch(type: string, patchValue: unknown, object: JsonObject, { schema }: Pick<ServedResource, "schema">): JsonObject {
  if (type === JSON_PATCH) return applyJsonPatch(object, (patchValue ?? []) as Json) as JsonObject;
  if (type === MERGE_PATCH) return applyMergePatch(object, patchValue as Json);
  return applyStrategicMergePatch(object, (patchValue ?? {}) as JsonObject, schema.shape);
}

function patchObject(context: RequestContext): JsonObject {
  const { patchType, resource } = context;
  const { value } = context.patchBody as DecodedBody;
  const patched = applyPatch(patchType, value, context.live as JsonObject, resource);
  return patchType === STRATEGIC_MERGE_PATCH
    ? decodeStrategicMergedObject(context, patched, (value ?? {}) as JsonObject)
    : decodePatchedObject(context, patched);
}

function buildAppliedConfiguration(context: RequestContext): JsonObject {
  const { live, resource, info } = context;
  const config = ((context.patchBody as DecodedBody).value ?? {}) as JsonObject;
  const { uid } = getMetadata(config);
  if (live === undefined && uid !== undefined && uid !== "") {
    const why = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`;
    throw conflict(getGroupResource(resource), info.name, why);
  }
  return config;
}

function applyAndCheck(context: RequestContext, config: JsonObject, checkIdentity: boolean): RequestContext | Promise<RequestContext> {
  const applied = applyConfiguration(context, config);
  return applied instanceof Promise
    ? applied.then((object) => finishApply(context, object, checkIdentity))
    : finishApply(context, applied, checkIdentity);
}

function finishApply(context: RequestContext, applied: JsonObject, checkIdentity: boolean): RequestContext {
  context.object = applied;
  if (!checkIdentity) return context;
  reportStrictErrors(context);
  context.object = ensureNamespace(context, applied);
  checkNameMatchesUrl(context, context.object);
  return context;
}

function reportStrictErrors({ patchBody, writeOptions, warn }: RequestContext): void {
  const { strict } = patchBody as DecodedBody;
  if (strict.length === 0) return;
  if (writeOptions.fieldValidation === "Strict") {
    throw badRequest(`error strict decoding YAML: error converting YAML to JSON: ${strict.join(", ")}`);
  }
  if (writeOptions.fieldValidation === "Warn") for (const line of strict.flatMap(splitStrictError)) warn(line);
}
