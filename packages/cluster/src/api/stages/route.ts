import { ApiError, badRequest, formatGroupResource, methodNotAllowed, notFound, pathNotFound } from "../../status/index.ts";
import {
  COLLECTION_MEDIA_TYPES,
  checkAcceptable,
  checkWatchMediaType,
  negotiateMediaType,
  OBJECT_MEDIA_TYPES,
} from "../encoding/negotiate.ts";
import { parseIncludeObject } from "../encoding/table.ts";
import type { ResponseFormat } from "../encoding/transform.ts";
import { isBuiltInGroup, type ResourceRegistry } from "../registry/registry.ts";
import type { ConnectSubresource, ServedResource, Subresource, Verb } from "../registry/served-resource.ts";
import { type ApiResponse, getHeader, getQueryParameter } from "../request/api-request.ts";
import type { ResourceRequest } from "../request/request-info.ts";
import { getGroupResource, type Operation, type RequestContext } from "../request-context.ts";
import { PathNotFound } from "../routes/path-not-found.ts";
import { CUSTOM_SCALE_TABLE, SCALE_TABLE } from "../strategy/scale.ts";

/**
 * Finds the resource and the operation. Paths that are no resource are served here: discovery, OpenAPI, version, health.
 * Throws 404, 405 or 406. Reads `requestInfo`, `request`; writes `info`, `resource`, `bodyResource`, `subresource`, `format`, `operation`.
 */
export async function route(context: RequestContext): Promise<RequestContext | ApiResponse> {
  const { server, request, requestInfo } = context;
  if (requestInfo.type === "path") return server.serveNonResource(request, requestInfo);
  const resource = server.registry.find(requestInfo.group, requestInfo.version, requestInfo.resource);
  if (resource === undefined) throw notServedError(server.registry, requestInfo);
  // The request info of /namespaces/x has x as its namespace too, for authorization.
  const isInItself = resource.scope === "Cluster" && requestInfo.name === requestInfo.namespace;
  const info = isInItself ? { ...requestInfo, namespace: "" } : requestInfo;
  checkScope(resource, info);
  checkPathSegmentName(info.name);
  context.info = info;
  context.resource = resource;
  context.bodyResource = resource;

  const connectSubresource = findConnectSubresource(resource, info);
  if (connectSubresource !== undefined) {
    context.subresource = connectSubresource;
    context.operation = "connect";
    return context;
  }
  context.format = negotiateFormat(context);
  if (request.method === "HEAD" && resource.typed) throw methodNotAllowed();
  const { waitUntilFresh } = server.store;
  if (waitUntilFresh !== undefined && info.verb !== "create" && getQueryParameter(request.query, "resourceVersion") !== "0") {
    await waitUntilFresh();
  }
  context.operation = info.subresource === "" ? selectOperation(resource, info) : selectSubresourceOperation(context);
  if (resource.deprecationWarning !== undefined) context.warn(resource.deprecationWarning);
  if (context.operation === "watch") checkWatchMediaType(context.format.mediaTypeOptions);
  return context;
}

function negotiateFormat({ server, request, resource, info }: RequestContext): ResponseFormat {
  const accept = getHeader(request.headers, "accept");
  const isCollection = info.subresource === "" && (info.verb === "list" || info.verb === "watch");
  if (resource.typed) checkAcceptable(accept, isCollection ? COLLECTION_MEDIA_TYPES : OBJECT_MEDIA_TYPES);
  const mediaTypeOptions = negotiateMediaType(accept, resource.typed, hasTable(resource, info));
  const includeObject = mediaTypeOptions.convertTo?.kind === "Table" ? parseIncludeObject(request.query) : "";
  return { resource, mediaTypeOptions, includeObject, now: server.clock.now() };
}

/** Kinds whose status subresource has no table in kube-apiserver; other statuses have that of their kind. */
const STATUS_WITHOUT_TABLE = new Set(["CustomResourceDefinition", "APIService", "ResourceClaim"]);

function hasTable({ kind, typed, evaluateReview }: ServedResource, { subresource }: ResourceRequest): boolean {
  if (subresource === "") return evaluateReview === undefined;
  return subresource === "scale" || (subresource === "status" && !(typed && STATUS_WITHOUT_TABLE.has(kind)));
}

function selectOperation(resource: ServedResource, info: ResourceRequest): Operation {
  const { verb } = info;
  const isServed = resource.verbs.includes(verb);
  if (verb === "watch") {
    if (!isServed) throw resource.typed ? pathNotFound() : verbNotSupportedError(resource, verb);
    return verb;
  }
  // Kinds that are never stored have no names.
  if (resource.evaluateReview !== undefined && info.name !== "") throw pathNotFound();
  if (!isServed) throw verbNotSupportedError(resource, verb);
  checkNameGiven(resource, info);
  return verb === "create" && resource.evaluateReview !== undefined ? "review" : verb;
}

function selectSubresourceOperation(context: RequestContext): Operation {
  const { resource, info } = context;
  const { verb } = info;
  const found = resource.subresources.find((each) => each.name === info.subresource);
  if (found === undefined) throw resource.typed ? pathNotFound() : notFound(getGroupResource(resource), info.name);
  if (!isVerbServed(found, verb)) throw verbNotSupportedError(resource, verb);
  context.subresource = found;
  if (found.type === "action") {
    context.bodyResource = { ...resource, ...found.accepts };
    context.format = { ...context.format, resource: context.bodyResource };
    return "action";
  }
  if (found.type === "scale")
    context.format = { ...context.format, resource: { ...resource, table: resource.typed ? SCALE_TABLE : CUSTOM_SCALE_TABLE } };
  return verb;
}

function isVerbServed(subresource: Subresource, verb: Verb): boolean {
  const isObjectVerb = verb === "get" || verb === "update" || verb === "patch";
  switch (subresource.type) {
    case "part":
      return isObjectVerb && subresource.verbs?.includes(verb) !== false;
    case "scale":
      return isObjectVerb;
    case "action":
      return subresource.verbs.includes(verb);
    case "connect":
      return false;
  }
}

function findConnectSubresource({ subresources }: ServedResource, info: ResourceRequest): ConnectSubresource | undefined {
  const found = subresources.find(({ name }) => name === info.subresource);
  return found?.type === "connect" && found.verbs.includes(info.verb) ? found : undefined;
}

/** Objects are created in collections, and changed by name. */
function checkNameGiven(resource: ServedResource, { verb, name }: ResourceRequest): void {
  const isObjectVerb = verb === "update" || verb === "patch";
  if (isObjectVerb && name === "") throw resource.typed ? methodNotAllowed() : badRequest("name must be provided");
  if (verb === "create" && name !== "" && resource.typed) throw methodNotAllowed();
}

/** A name must be one segment of a path. */
function checkPathSegmentName(name: string): void {
  const problem = name === "." || name === ".." ? `may not be '${name}'` : name.includes("%") ? "may not contain '%'" : undefined;
  if (problem !== undefined) throw badRequest(`Name parameter invalid: ${JSON.stringify(name)}: ${problem}`);
}

/** Namespaced resources are served in namespaces only, except that collections are read across them. */
function checkScope(resource: ServedResource, { verb, namespace, name }: ResourceRequest): void {
  if (resource.scope === "Cluster") {
    if (namespace !== "") throw resource.typed ? pathNotFound() : new PathNotFound();
    return;
  }
  if (namespace !== "" || verb === "list" || verb === "watch") return;
  if (!resource.typed) throw new PathNotFound();
  throw name === "" && resource.verbs.includes("list") ? methodNotAllowed() : pathNotFound();
}

/** Groups of built-in kinds have a router of their own, with another text. */
function notServedError(registry: ResourceRegistry, { group }: ResourceRequest): Error {
  return isBuiltInGroup(registry, group) ? pathNotFound() : new PathNotFound();
}

function verbNotSupportedError(resource: ServedResource, verb: Verb): ApiError {
  if (resource.typed) return methodNotAllowed();
  const groupResource = getGroupResource(resource);
  const message = `${verb} is not supported on resources of kind ${JSON.stringify(formatGroupResource(groupResource))}`;
  return new ApiError(405, "MethodNotAllowed", message, { group: groupResource.group, kind: groupResource.resource });
}
