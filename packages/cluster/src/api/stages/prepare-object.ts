import type { JsonObject } from "pintle/kinds";
import { ApiError, conflict, fieldError, forbidden, invalid, OBJECT_MODIFIED } from "../../status/index.ts";
import { generateUid } from "../metadata/generate-name.ts";
import { getMetadata } from "../metadata/object-meta.ts";
import { checkAuthorized } from "../request/authorizer.ts";
import { createStrategyContext, getGroupResource, type RequestContext } from "../request-context.ts";
import { findObjectSubresource, prepareForCreate, prepareForSubresourceUpdate, prepareForUpdate } from "../strategy/prepare.ts";
import { setGeneratedName } from "./generated-name.ts";

/**
 * Runs the strategy of the kind: sets what the server alone decides (uid, creation time, generation) and takes back what the endpoint
 * may not change. The pipeline comes back here with another generated name. Throws 403 or 409. Reads `admittedObject`, `live`; writes `object`.
 */
export function prepareObject(context: RequestContext): RequestContext {
  if (context.live !== undefined) return prepareUpdate(context, context.live);
  return context.operation === "create" ? prepareCreate(context) : prepareCreateOnUpdate(context);
}

/** An update or apply that creates needs the permission to create. */
function prepareCreateOnUpdate(context: RequestContext): RequestContext {
  const { server, user, info } = context;
  if (context.nameAttempts === 0) checkAuthorized(server.authorizer, { user, info: { ...info, verb: "create" } });
  return prepareCreate(context);
}

function prepareCreate(context: RequestContext): RequestContext {
  const { server, resource } = context;
  const object = setGeneratedName(context);
  if (resource.terminating) {
    const why = "create not allowed while custom resource definition is terminating";
    throw forbidden(getGroupResource(resource), getMetadata(object).name ?? "", why);
  }
  context.object = prepareForCreate(resource, object, generateUid(server.random), createStrategyContext(context));
  return context;
}

function prepareUpdate(context: RequestContext, live: JsonObject): RequestContext {
  const { resource, info, admittedObject } = context;
  checkResourceVersion(context, admittedObject, live);
  const strategyContext = createStrategyContext(context);
  const subresource = findObjectSubresource(resource, info.subresource);
  context.object =
    subresource === undefined
      ? prepareForUpdate(resource, admittedObject, live, strategyContext)
      : prepareForSubresourceUpdate(subresource, admittedObject, live, strategyContext);
  return context;
}

function checkResourceVersion({ resource, info }: RequestContext, object: JsonObject, live: JsonObject): void {
  const text = getMetadata(object).resourceVersion ?? "";
  if (!/^\d*$/.test(text)) throw new ApiError(500, "", `strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`);
  const given = Number(text);
  if (given === 0) {
    if (resource.strategy.allowUnconditionalUpdate) return;
    const error = fieldError.invalid("metadata.resourceVersion", 0, "must be specified for an update");
    throw invalid(getGroupResource(resource), info.name, [error]);
  }
  if (given !== Number(getMetadata(live).resourceVersion)) throw conflict(getGroupResource(resource), info.name, OBJECT_MODIFIED);
}
