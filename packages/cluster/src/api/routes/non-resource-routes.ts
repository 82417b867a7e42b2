import type { JsonObject } from "pintle/kinds";
import { methodNotAllowed, pathNotFound } from "../../status/index.ts";
import { checkAcceptable, JSON_TYPE, negotiateMediaType, OBJECT_MEDIA_TYPES, parseAccept } from "../encoding/negotiate.ts";
import { isBuiltInGroup, type ResourceRegistry } from "../registry/registry.ts";
import { type ApiRequest, type ApiResponse, getHeader, getQueryParameter } from "../request/api-request.ts";
import type { NonResourceRequest } from "../request/request-info.ts";
import { buildAggregatedDiscovery, type DiscoveryVersion } from "./discovery/aggregated.ts";
import { buildApiGroup, buildApiGroupList, buildApiResourceList, buildApiVersions } from "./discovery/legacy.ts";
import { serveHealth } from "./health.ts";
import { buildDocumentBody } from "./openapi/document-body.ts";
import { buildOpenApiV2Response } from "./openapi/openapi-v2-response.ts";
import type { OpenApiSource } from "./openapi-source.ts";
import { PathNotFound } from "./path-not-found.ts";
import type { VersionInfo } from "./version-info.ts";

export interface NonResourceRouteOptions {
  readonly registry: ResourceRegistry;
  readonly openapi: OpenApiSource;
  readonly version: VersionInfo;
  /** Throws if the store is not healthy. */
  checkStore(): Promise<void>;
  /** Further pages, by path. */
  readonly pages: Readonly<Record<string, () => ApiResponse>>;
}

/** Serves paths that are no resource: discovery, OpenAPI, version, health. */
export function createNonResourceRoutes({ registry, openapi, version, checkStore, pages }: NonResourceRouteOptions) {
  return async (request: ApiRequest, info: NonResourceRequest): Promise<ApiResponse> => {
    const { method } = request;
    if (info.path.startsWith("//")) throw new PathNotFound();
    const page = Object.hasOwn(pages, info.path) ? pages[info.path] : undefined;
    if (method !== "GET" && method !== "HEAD") throw isKnownPath(info.path) || page !== undefined ? methodNotAllowed() : new PathNotFound();
    if (page !== undefined) return page();
    const [root, ...rest] = info.path.split("/").filter((part) => part !== "");
    switch (root) {
      case undefined:
        return encodeJson({ paths: [...PATHS, ...Object.keys(pages)].sort() });
      case "version":
        checkAcceptable(getHeader(request.headers, "accept"), [JSON_TYPE]);
        return encodeIndented(buildVersionBody(version));
      case "healthz":
      case "livez":
      case "readyz":
        return serveHealth(root, rest, request.query, checkStore);
      case "openapi":
        return serveOpenApi(openapi, rest, request);
      case "api":
      case "apis":
        return serveDiscovery(registry, root, rest, request);
      default:
        throw new PathNotFound();
    }
  };
}

const PATHS = ["/api", "/apis", "/healthz", "/livez", "/openapi/v2", "/openapi/v3", "/readyz", "/version"];
const isKnownPath = (path: string) => /^\/(api|apis|version|healthz|livez|readyz|openapi)?(\/|$)/.test(path);

function serveDiscovery(registry: ResourceRegistry, root: "api" | "apis", rest: readonly string[], request: ApiRequest): ApiResponse {
  if (rest.length === 0) {
    const wanted = negotiateDiscoveryVersion(getHeader(request.headers, "accept") ?? "");
    if (wanted !== undefined) {
      const type = `application/json;g=apidiscovery.k8s.io;v=${wanted};as=APIGroupDiscoveryList`;
      return encodeJson(buildAggregatedDiscovery(registry, root === "api", wanted), { "content-type": type, vary: "Accept" });
    }
    const host = getHeader(request.headers, "host") ?? getHeader(request.headers, ":authority") ?? "";
    return encodeNegotiated(request, root === "api" ? buildApiVersions(registry, host) : buildApiGroupList(registry));
  }
  const [group, version] = root === "api" ? ["", rest[0]] : [rest[0] as string, rest[1]];
  const served = registry.groups().find((each) => each.name === group);
  if (served === undefined) throw new PathNotFound();
  if (version === undefined) return encodeNegotiated(request, buildApiGroup(served));
  const found = served.versions.find((each) => each.version === version);
  if (found === undefined) throw isBuiltInGroup(registry, group) ? pathNotFound() : new PathNotFound();
  return encodeNegotiated(request, buildApiResourceList(group, found));
}

/** Encodes a document in any media type of objects. */
function encodeNegotiated({ headers }: ApiRequest, value: unknown): ApiResponse {
  const accept = getHeader(headers, "accept");
  checkAcceptable(accept, OBJECT_MEDIA_TYPES);
  const { mediaType } = negotiateMediaType(accept, true);
  return { status: 200, headers: { "content-type": mediaType }, body: { type: "json", value, mediaType: mediaType } };
}

/** Returns the first accepted version of aggregated discovery; undefined: the legacy form. */
function negotiateDiscoveryVersion(accept: string): DiscoveryVersion | undefined {
  for (const { type, parameters } of parseAccept(accept)) {
    if (type !== JSON_TYPE && type !== "application/*" && type !== "*/*") continue;
    if (parameters.size === 0) return undefined;
    const version = parameters.get("v");
    const aggregated = parameters.get("g") === "apidiscovery.k8s.io" && parameters.get("as") === "APIGroupDiscoveryList";
    if (aggregated && (version === "v2" || version === "v2beta1")) return version;
  }
  return undefined;
}

async function serveOpenApi(openapi: OpenApiSource, rest: readonly string[], request: ApiRequest): Promise<ApiResponse> {
  const [version, ...path] = rest;
  if (version === "v2" && path.length === 0) {
    return buildOpenApiV2Response(await openapi.swagger(), request.headers);
  }
  if (version !== "v3") throw new PathNotFound();
  const index = await openapi.index();
  if (path.length === 0) {
    const paths = Object.fromEntries([...index].map(([name, hash]) => [name, { serverRelativeURL: `/openapi/v3/${name}?hash=${hash}` }]));
    return encodeJson({ paths });
  }
  const name = path.join("/");
  const hash = index.get(name);
  if (hash === undefined) throw new PathNotFound();
  const headers = { "content-type": JSON_TYPE, etag: `"${hash}"` };
  // A document with the hash in its URL never changes: clients cache it.
  const isImmutable = getQueryParameter(request.query, "hash") === hash;
  const expires = "Fri, 01 Jan 2100 00:00:00 GMT";
  return {
    status: 200,
    headers: isImmutable ? { ...headers, "cache-control": "public, immutable", expires } : headers,
    body: await buildDocumentBody((await openapi.document(name)) as JsonObject),
  };
}

function buildVersionBody({ major, minor, gitVersion, build = {} }: VersionInfo) {
  return {
    major,
    minor,
    emulationMajor: major,
    emulationMinor: minor,
    minCompatibilityMajor: major,
    minCompatibilityMinor: String(Number(minor) - 1),
    gitVersion,
    gitCommit: build.gitCommit ?? "",
    gitTreeState: build.gitTreeState ?? "clean",
    buildDate: build.buildDate ?? "",
    goVersion: build.goVersion ?? "",
    compiler: build.compiler ?? "",
    platform: build.platform ?? `${process.platform}/${process.arch === "x64" ? "amd64" : process.arch}`,
  };
}

/** The only page that kube-apiserver indents. */
function encodeIndented(value: unknown): ApiResponse {
  const bytes = Buffer.from(JSON.stringify(value, undefined, 2));
  return { status: 200, headers: { "content-type": JSON_TYPE }, body: { type: "bytes", bytes } };
}

function encodeJson(value: unknown, headers: ApiResponse["headers"] = { "content-type": JSON_TYPE }): ApiResponse {
  return { status: 200, headers, body: { type: "json", value, mediaType: JSON_TYPE } };
}
