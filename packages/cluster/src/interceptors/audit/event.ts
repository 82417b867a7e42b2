import { isIP } from "node:net";
import { isJsonObject, stringifyJson } from "pintle/internal/json";
import { formatMicroTime, type Json, type JsonObject } from "pintle/kinds";
import { type ApiRequest, type ApiResponse, getHeader, type RequestContext, type UserInfo } from "../../api/index.ts";
import type { AuditDecision, AuditStage } from "./policy.ts";

/** What an event records beside the state of the request. */
export interface EventDetails {
  readonly decision: AuditDecision;
  readonly stage: AuditStage;
  /** The user that sent the request; undefined if authentication failed. */
  readonly user: UserInfo | undefined;
  readonly receivedAt: number;
  readonly at: number;
  /** Default: none yet. */
  readonly response?: ApiResponse | undefined;
}

/** Builds an event of audit.k8s.io/v1, with its fields in the order of the Go type. */
export function buildEvent(context: RequestContext, details: EventDetails): JsonObject {
  const { decision, stage, user, response, receivedAt, at } = details;
  const { request, requestInfo } = context;
  const includesRequest = response !== undefined && decision.level !== "Metadata";
  const includesResponse = includesRequest && decision.level === "RequestResponse";
  const annotations = response === undefined ? {} : getAnnotations(context);
  const isImpersonated = user !== undefined && response !== undefined && context.user !== user;
  return {
    kind: "Event",
    apiVersion: "audit.k8s.io/v1",
    level: decision.level,
    auditID: context.auditId,
    stage,
    requestURI: request.target ?? formatTarget(request),
    verb: requestInfo.verb,
    user: user === undefined ? {} : formatUser(user),
    ...(isImpersonated ? { impersonatedUser: formatUser(context.user) } : {}),
    ...(context.impersonationConstraint === undefined
      ? {}
      : { authenticationMetadata: { impersonationConstraint: context.impersonationConstraint } }),
    sourceIPs: [...listSourceAddresses(request)],
    ...omitEmpty({ userAgent: truncateUserAgent(getHeader(request.headers, "user-agent") ?? "") }),
    ...(requestInfo.type === "resource" ? { objectRef: buildObjectReference(context, requestInfo, response !== undefined) } : {}),
    ...(response === undefined ? {} : { responseStatus: buildResponseStatus(response) }),
    ...(includesRequest ? getRequestObject(context, decision) : {}),
    ...(includesResponse ? getResponseObject(response, decision) : {}),
    requestReceivedTimestamp: formatMicroTime(new Date(receivedAt)),
    stageTimestamp: formatMicroTime(new Date(at)),
    ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
  };
}

const ESCAPED: Readonly<Record<string, string>> = {
  "&": "\\u0026",
  "<": "\\u003c",
  ">": "\\u003e",
  "\u2028": "\\u2028",
  "\u2029": "\\u2029",
};

/** Formats an event as one line, escaped as Go's encoder does. */
export function formatEventLine(event: JsonObject): string {
  return `${stringifyJson(event).replace(/[&<>\u2028\u2029]/g, (each) => ESCAPED[each] as string)}\n`;
}

function formatTarget({ path, query }: ApiRequest): string {
  const parameters = new URLSearchParams([...query].flatMap(([name, values]) => values.map((value): [string, string] => [name, value])));
  return query.size === 0 ? path : `${path}?${parameters}`;
}

function formatUser({ name, uid = "", groups, extra = {} }: UserInfo): JsonObject {
  return {
    ...omitEmpty({ username: name, uid }),
    ...(groups.length === 0 ? {} : { groups }),
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  };
}

/** Addresses of the proxies in the headers, then that of the connection. Requests of this process come from the loopback interface. */
function* listSourceAddresses({ headers, remoteAddress }: ApiRequest): Iterable<string> {
  const forwarded = (getHeader(headers, "x-forwarded-for") ?? "").split(",").map((each) => each.trim());
  const addresses = forwarded.filter((each) => isIP(each) !== 0);
  const real = getHeader(headers, "x-real-ip") ?? "";
  if (isIP(real) !== 0 && !addresses.includes(real)) addresses.push(real);
  yield* addresses;
  const remote = remoteAddress === undefined ? "::1" : remoteAddress()?.replace(/^::ffff:/, "");
  if (remote !== undefined && remote !== addresses.at(-1)) yield remote;
}

const MAX_USER_AGENT_LENGTH = 1024;

function truncateUserAgent(agent: string): string {
  return agent.length <= MAX_USER_AGENT_LENGTH ? agent : `${agent.slice(0, MAX_USER_AGENT_LENGTH)}...TRUNCATED`;
}

/** What the URL does not name is taken from the object that was sent. */
function buildObjectReference(
  { sentObject, operation }: RequestContext,
  info: Extract<RequestContext["requestInfo"], { readonly type: "resource" }>,
  isDecoded: boolean,
): JsonObject {
  const isObject = isDecoded && operation !== "patch" && isJsonObject(sentObject) && isJsonObject(sentObject["metadata"]);
  const sent = isObject ? (sentObject["metadata"] as Readonly<Record<string, unknown>>) : {};
  const text = (field: string) => (typeof sent[field] === "string" ? sent[field] : "");
  return omitEmpty({
    resource: info.resource,
    namespace: info.namespace || text("namespace"),
    name: info.name || text("name"),
    uid: text("uid"),
    apiGroup: info.group,
    apiVersion: info.version,
    resourceVersion: text("resourceVersion"),
    subresource: info.subresource,
  });
}

/** The Status of the response, or only its code. */
function buildResponseStatus({ status: code, body }: ApiResponse): JsonObject {
  const value = body.type === "json" && body.encoded === undefined ? (body.value as JsonObject) : {};
  if (value["kind"] !== "Status") return { metadata: {}, code };
  const { status, message, reason, details } = value as Readonly<Record<string, Json | undefined>>;
  const given = Object.entries({ status, message, reason, details }).filter(([, each]) => each !== undefined && each !== "");
  return { metadata: {}, ...Object.fromEntries(given), code } as JsonObject;
}

/** The object with its defaults, as the decoder of kube-apiserver returns it; a patch and the options of a delete as they were sent. */
function getRequestObject(
  { sentObject, operation, bodyResource, subresource }: RequestContext,
  { omitManagedFields }: AuditDecision,
): JsonObject {
  if (sentObject === undefined) return {};
  if (operation === "patch" || !isJsonObject(sentObject)) return { requestObject: sentObject };
  if (operation === "delete" || operation === "deletecollection") {
    const { kind: _kind, apiVersion: _apiVersion, ...options } = sentObject as JsonObject;
    return { requestObject: { kind: "DeleteOptions", apiVersion: "meta.k8s.io/__internal", ...options } };
  }
  const object =
    subresource?.type === "scale"
      ? { ...sentObject, status: { replicas: 0, ...(sentObject["status"] as JsonObject | undefined) } }
      : bodyResource.schema.default(sentObject as JsonObject);
  return { requestObject: omitManagedFields ? withoutManagedFields(object) : object };
}

function getResponseObject({ body }: ApiResponse, { omitManagedFields }: AuditDecision): JsonObject {
  if (body.type !== "json") return {};
  const object = body.value as JsonObject;
  return { responseObject: omitManagedFields ? withoutManagedFields(object) : object };
}

/** Removes the managed fields of an object, of the items of a list, and of the objects in the rows of a Table. */
function withoutManagedFields(object: JsonObject): JsonObject {
  const { metadata, items, rows } = object as Readonly<Record<string, unknown>>;
  const changed: Record<string, unknown> = { ...object };
  if (isJsonObject(metadata)) {
    const { managedFields: _managedFields, ...rest } = metadata as JsonObject;
    changed["metadata"] = rest;
  }
  if (Array.isArray(items)) changed["items"] = items.map(withoutManagedFields);
  if (Array.isArray(rows))
    changed["rows"] = rows.map((row: JsonObject) =>
      isJsonObject(row["object"]) ? { ...row, object: withoutManagedFields(row["object"] as JsonObject) } : row,
    );
  return changed as JsonObject;
}

function getAnnotations({ authorization, auditAnnotations = {} }: RequestContext): Readonly<Record<string, string>> {
  if (authorization === undefined) return auditAnnotations;
  const { allowed, reason = "" } = authorization;
  const decision = { "authorization.k8s.io/decision": allowed ? "allow" : "forbid", "authorization.k8s.io/reason": reason };
  return Object.fromEntries(Object.entries({ ...auditAnnotations, ...decision }).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function omitEmpty(fields: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ""));
}
