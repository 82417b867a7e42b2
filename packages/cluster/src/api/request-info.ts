import type { ApiRequest } from "./request.ts";
import { param } from "./request.ts";
import type { Verb } from "./resource.ts";
import { requiredName } from "./selectors/field-selector.ts";

/** What a request is about, read from method, path and query alone: what authorisation and routing go by. */
export type RequestInfo = ResourceRequest | PathRequest;

export interface PathRequest {
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
  /** Empty for collections; of a list or watch the one name its field selector asks for. */
  readonly name: string;
  readonly subresource: string;
  /** What follows the subresource, as proxies need it. */
  readonly rest: readonly string[];
}

const VERBS: Readonly<Record<string, Verb>> = {
  POST: "create",
  GET: "get",
  HEAD: "get",
  PUT: "update",
  PATCH: "patch",
  DELETE: "delete",
};
const NAMESPACE_SUBRESOURCES = new Set(["status", "finalize"]);

export function requestInfo(request: Pick<ApiRequest, "method" | "path" | "query">): RequestInfo {
  const { method, path, query } = request;
  if (last?.method !== method || last.path !== path || last.query !== query) last = { method, path, query, info: infoOf(request) };
  return last.info;
}

/** A request is asked about where it is noted and then where it is carried out. */
let last: (Pick<ApiRequest, "method" | "path" | "query"> & { readonly info: RequestInfo }) | undefined;

function infoOf(request: Pick<ApiRequest, "method" | "path" | "query">): RequestInfo {
  const { method, path, query } = request;
  const asPath: PathRequest = { type: "path", verb: method.toLowerCase(), path };
  const decoded = decodePath(path)
    .replace(/^\/|\/+$/g, "")
    .split("/");
  let parts: string[];
  const prefix = decoded[0];
  if (prefix !== "api" && prefix !== "apis") return asPath;
  if (decoded.length < (prefix === "api" ? 3 : 4)) return asPath;
  const group = prefix === "api" ? "" : (decoded[1] as string);
  const version = decoded[prefix === "api" ? 1 : 2] as string;
  parts = decoded.slice(prefix === "api" ? 2 : 3);

  let verb = VERBS[method];
  if (verb === undefined) return asPath;
  const watchPath = parts[0] === "watch" && parts.length > 1;
  if (watchPath) parts = parts.slice(1);

  let namespace = "";
  if (parts[0] === "namespaces" && parts.length > 1) {
    namespace = parts[1] as string;
    if (parts.length > 2 && !NAMESPACE_SUBRESOURCES.has(parts[2] as string)) parts = parts.slice(2);
  }
  const [resource = "", named = "", subresource = "", ...rest] = parts;
  let name = named;
  if (watchPath) verb = "watch";
  else if (name === "" && verb === "get") {
    verb = isTrue(query.get("watch")) ? "watch" : "list";
    name = requiredName(param(query, "fieldSelector")) ?? "";
  } else if (name === "" && verb === "delete") verb = "deletecollection";
  return { type: "resource", verb, path, group, version, namespace, resource, name, subresource, rest };
}

/** As Go's query codec reads booleans: present and neither "false" nor "0". */
export function isTrue(values: readonly string[] | undefined): boolean {
  const value = values?.[0]?.toLowerCase();
  return value !== undefined && value !== "false" && value !== "0";
}

/** An escaped slash is a slash like any other. */
function decodePath(path: string): string {
  if (!path.includes("%")) return path;
  try {
    return decodeURIComponent(path);
  } catch {
    const bytes = path.replace(/%([0-9a-fA-F]{2})/g, (_match, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
    return Buffer.from(bytes, "latin1").toString();
  }
}
