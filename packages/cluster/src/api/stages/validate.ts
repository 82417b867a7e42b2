import { isJsonEqual } from "pintle/internal/merge";
import type { JsonObject } from "pintle/kinds";
import { type FieldError, formatFieldError, invalid } from "../../status/index.ts";
import { validateTypeMeta } from "../decode/type-meta.ts";
import { equalExcept } from "../metadata/equal-except.ts";
import { getMetadata, withMetadata } from "../metadata/object-meta.ts";
import { repeatMetadataErrors, validateMetadata, validateMetadataUpdate, validateSubdomainName } from "../metadata/validate-metadata.ts";
import { createStrategyContext, getGroupKind, type RequestContext } from "../request-context.ts";
import { getUpdateStrategy } from "../strategy/prepare.ts";

/**
 * Validates metadata, schema (CEL rules included) and what the strategy of the kind adds. Throws 422 with all errors.
 * Reads `object`, `live`, `appliesEmptyMetadata`; writes `object`: an update that changes nothing keeps the times of its managers.
 */
export function validate(context: RequestContext): RequestContext {
  if (context.live === undefined) validateCreate(context);
  else validateUpdate(context, context.live);
  return context;
}

function validateCreate(context: RequestContext): void {
  const { resource, object, warn } = context;
  const { strategy, schema } = resource;
  validateTypeMeta(resource, object);
  const errors = [
    ...validateMetadata(object, resource.scope, strategy.validateName ?? validateSubdomainName),
    ...schema.validate(object),
    ...(strategy.validateCreate?.(object, createStrategyContext(context)) ?? []),
  ];
  if (errors.length > 0) throw invalid(getGroupKind(resource), getMetadata(object).name ?? "", errors);
  for (const warning of strategy.warningsOnCreate?.(object) ?? []) warn(warning);
}

function validateUpdate(context: RequestContext, live: JsonObject): void {
  const { resource, info, object, warn } = context;
  const { schema } = resource;
  validateTypeMeta(resource, object);
  const strategy = getUpdateStrategy(resource, info.subresource);
  const warnAboutError = (error: FieldError) => warn(formatFieldError(error));
  const metadataErrors = validateMetadata(object, resource.scope);
  const errors = [
    ...metadataErrors,
    ...repeatMetadataErrors(metadataErrors, resource.typed),
    ...validateMetadataUpdate(object, live),
    ...(info.subresource === "status" && schema.validateStatus
      ? schema.validateStatus(object, live, warnAboutError)
      : schema.validate(object, live, warnAboutError)),
    ...(strategy.validateUpdate?.(object, live, createStrategyContext(context)) ?? []),
  ];
  if (errors.length > 0) throw invalid(getGroupKind(resource), info.name, errors);
  for (const warning of strategy.warningsOnUpdate?.(object, live) ?? []) warn(warning);
  if (!context.appliesEmptyMetadata) context.object = restoreUnchangedTimestamps(object, live);
}

/** An update that moves nothing but times in managedFields changes nothing: the old times stay. */
function restoreUnchangedTimestamps(next: JsonObject, live: JsonObject): JsonObject {
  const now = getMetadata(next);
  const was = getMetadata(live);
  if (now.managedFields === undefined || was.managedFields === undefined) return next;
  const omitTimes = (entries: readonly JsonObject[]) => entries.map(({ time: _, ...rest }) => rest);
  const same =
    equalExcept(next, live, ["metadata"]) &&
    equalExcept(now as JsonObject, was as JsonObject, ["managedFields", "resourceVersion"]) &&
    isJsonEqual(omitTimes(now.managedFields as readonly JsonObject[]), omitTimes(was.managedFields as readonly JsonObject[]));
  return same ? withMetadata(next, { managedFields: was.managedFields }) : next;
}
