import { createStringCache } from "pintle/internal/memoize";
import { getHeader, getQueryParameter, type RequestContext } from "../api/index.ts";
import type { RequestAttributes } from "./request-match.ts";

const NO_RESOURCE = { group: "", version: "", resource: "", subresource: "", namespace: "", name: "" };

/** Collects the attributes of a request. The name of a created object is known only where its body is a value of this process. */
export function getRequestAttributes({ request, requestInfo: info, user }: RequestContext): RequestAttributes {
  const { path, query, headers, body } = request;
  const { verb } = info;
  const { group, version, resource, subresource, namespace, name } = info.type === "resource" ? info : NO_RESOURCE;
  const as = getHeader(headers, "impersonate-user");
  const writes = resource !== "" && (verb === "create" || verb === "update" || verb === "patch");
  return {
    user: as ?? user.name,
    impersonatedBy: as === undefined ? undefined : user.name,
    verb,
    group,
    version,
    resource,
    subresource,
    // The request info of a Namespace has its own name as namespace, for authorization only.
    namespace: resource === "namespaces" ? "" : namespace,
    name: name === "" && verb === "create" && body !== undefined && "json" in body ? getObjectName(body.json) : name,
    path,
    fieldManager: writes ? getQueryParameter(query, "fieldManager") || getUserAgentName(getHeader(headers, "user-agent") ?? "") : "",
    dryRun: query.has("dryRun"),
  };
}

/** Names of the few programs that send requests, so that entries of the audit log share them. */
const userAgentNames = createStringCache<string>(256 * 1024);

function getUserAgentName(agent: string): string {
  const known = userAgentNames.get(agent);
  if (known !== undefined) return known;
  const end = agent.indexOf("/");
  const name = end === -1 ? agent : agent.slice(0, end);
  userAgentNames.set(agent, name);
  return name;
}

/** Collects the same attributes, and reads the name of a created object from a body of any transport, if it is JSON. */
export async function readRequestAttributes(context: RequestContext): Promise<RequestAttributes> {
  const attributes = getRequestAttributes(context);
  const { body } = context.request;
  if (attributes.name !== "" || attributes.verb !== "create" || body === undefined || "json" in body) return attributes;
  try {
    const received = typeof body === "function" ? await body() : body;
    if (received === undefined || "json" in received) return attributes;
    return { ...attributes, name: getObjectName(JSON.parse(Buffer.from(received.bytes).toString())) };
  } catch {
    // The pipeline reports a body that cannot be read; other encodings are not decoded.
    return attributes;
  }
}

function getObjectName(object: unknown): string {
  const name = (object as { readonly metadata?: { readonly name?: unknown } } | null)?.metadata?.name;
  return typeof name === "string" ? name : "";
}
