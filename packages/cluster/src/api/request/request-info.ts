import { trimTrailing } from "pintle/internal/text";
import { type FieldSelector, findRequiredName, tryParseFieldSelector } from "../options/field-selector.ts";
import type { Verb } from "../registry/served-resource.ts";
import { type ApiRequest, getQueryParameter } from "./api-request.ts";

/** The attributes of a request, from method, path and query: authorization and routing use them. */
export type RequestInfo = ResourceRequest | NonResourceRequest;

export interface NonResourceRequest {
  readonly type: "path";
  /** The method in lower case. */
  readonly verb: string;
  readonly path: string;
}

export interface ResourceRequest {
  readonly type: "resource";
  readonly verb: Verb;
  readonly path: string;
  readonly group: string;
  readonly version: string;
  /** Empty for cluster-scoped resources and for requests across namespaces. */
  readonly namespace: string;
  readonly resource: string;
  /** Empty for collections; for a list or watch the name that its field selector requires. */
  readonly name: string;
  readonly subresource: string;
  /** Of requests for a collection. Default: none. */
  readonly fieldSelector?: FieldSelector | undefined;
  /** The path segments after the subresource, for proxies. */
  readonly subpath: readonly string[];
}

const VERBS: Readonly<Record<string, Verb>> = {
  POST: "create",
  GET: "get",
  HEAD: "get",
  PUT: "update",
  PATCH: "patch",
  DELETE: "delete",
};
const COLLECTION_VERBS: ReadonlySet<Verb> = new Set(["list", "watch", "deletecollection"]);
const NAMESPACE_SUBRESOURCES = new Set(["status", "finalize"]);

/** Parses method, path and query as kube-apiserver does. */
export function buildRequestInfo(request: Pick<ApiRequest, "method" | "path" | "query">): RequestInfo {
  const { method, path, query } = request;
  const nonResource: NonResourceRequest = { type: "path", verb: method.toLowerCase(), path };
  const segments = trimTrailing(unescapePath(path).replace(/^\//, ""), "/").split("/");
  let parts: string[];
  const prefix = segments[0];
  if (prefix !== "api" && prefix !== "apis") return nonResource;
  if (segments.length < (prefix === "api" ? 3 : 4)) return nonResource;
  const group = prefix === "api" ? "" : (segments[1] as string);
  const version = segments[prefix === "api" ? 1 : 2] as string;
  parts = segments.slice(prefix === "api" ? 2 : 3);

  let verb = VERBS[method];
  if (verb === undefined) return nonResource;
  const watchPath = parts[0] === "watch" && parts.length > 1;
  if (watchPath) parts = parts.slice(1);

  let namespace = "";
  if (parts[0] === "namespaces" && parts.length > 1) {
    namespace = parts[1] as string;
    if (parts.length > 2 && !NAMESPACE_SUBRESOURCES.has(parts[2] as string)) parts = parts.slice(2);
  }
  const [resource = "", pathName = "", subresource = "", ...rest] = parts;
  let name = pathName;
  if (watchPath) verb = "watch";
  else if (name === "" && verb === "get") {
    verb = isTrueParameter(query.get("watch")) ? "watch" : "list";
  } else if (name === "" && verb === "delete") verb = "deletecollection";
  const fieldSelector = COLLECTION_VERBS.has(verb) ? tryParseFieldSelector(getQueryParameter(query, "fieldSelector")) : undefined;
  const takesName = name === "" && !watchPath && (verb === "list" || verb === "watch");
  if (takesName) name = findRequiredName(fieldSelector ?? []) ?? "";
  return { type: "resource", verb, path, group, version, namespace, resource, name, subresource, fieldSelector, subpath: rest };
}

/** Parses a boolean as Go's query codec does: present, and neither "false" nor "0". */
export function isTrueParameter(values: readonly string[] | undefined): boolean {
  const value = values?.[0]?.toLowerCase();
  return value !== undefined && value !== "false" && value !== "0";
}

/** Decodes percent escapes; an escaped slash separates segments too. */
function unescapePath(path: string): string {
  if (!path.includes("%")) return path;
  try {
    return decodeURIComponent(path);
  } catch {
    const bytes = path.replace(/%([0-9a-fA-F]{2})/g, (_match, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
    return Buffer.from(bytes, "latin1").toString();
  }
}
