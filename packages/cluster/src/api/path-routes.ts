import { methodNotAllowed, noSuchPath } from "../status/index.ts";
import { aggregatedDiscovery, type DiscoveryVersion } from "./discovery/aggregated.ts";
import { apiGroup, apiGroupList, apiResourceList, apiVersions } from "./discovery/legacy.ts";
import { health } from "./health.ts";
import type { OpenApi } from "./openapi.ts";
import { PageNotFound } from "./page-not-found.ts";
import { checkLanguage, JSON_TYPE, negotiate, OBJECTS, parseAccept } from "./present/negotiate.ts";
import { isBuiltIn, type Registry } from "./registry.ts";
import { type ApiAnswer, type ApiRequest, header, param } from "./request.ts";
import type { PathRequest } from "./request-info.ts";
import { swaggerAnswer } from "./swagger/answer.ts";
import type { VersionInfo } from "./version-info.ts";

export interface PathRouteOptions {
  readonly registry: Registry;
  readonly openapi: OpenApi;
  readonly version: VersionInfo;
  /** Pages of others, by path. */
  readonly pages: Readonly<Record<string, () => ApiAnswer>>;
}

/** Everything that is not a resource: discovery, OpenAPI, version, health. */
export function pathRoutes({ registry, openapi, version, pages }: PathRouteOptions) {
  return async (request: ApiRequest, info: PathRequest): Promise<ApiAnswer> => {
    const { method } = request;
    if (info.path.startsWith("//")) throw new PageNotFound();
    const page = Object.hasOwn(pages, info.path) ? pages[info.path] : undefined;
    if (method !== "GET" && method !== "HEAD") throw known(info.path) || page !== undefined ? methodNotAllowed() : new PageNotFound();
    if (page !== undefined) return page();
    const [root, ...rest] = info.path.split("/").filter((part) => part !== "");
    switch (root) {
      case undefined:
        return json({ paths: [...PATHS, ...Object.keys(pages)].sort() });
      case "version":
        checkLanguage(header(request.headers, "accept"), [JSON_TYPE]);
        return indented(versionBody(version));
      case "healthz":
      case "livez":
      case "readyz":
        return health(root, rest, request.query);
      case "openapi":
        return openApiAnswer(openapi, rest, request);
      case "api":
      case "apis":
        return discoveryAnswer(registry, root, rest, request);
      default:
        throw new PageNotFound();
    }
  };
}

const PATHS = ["/api", "/apis", "/healthz", "/livez", "/openapi/v2", "/openapi/v3", "/readyz", "/version"];
const known = (path: string) => /^\/(api|apis|version|healthz|livez|readyz|openapi)?(\/|$)/.test(path);

function discoveryAnswer(registry: Registry, root: "api" | "apis", rest: readonly string[], request: ApiRequest): ApiAnswer {
  if (rest.length === 0) {
    const wanted = discoveryVersion(header(request.headers, "accept") ?? "");
    if (wanted !== undefined) {
      const type = `application/json;g=apidiscovery.k8s.io;v=${wanted};as=APIGroupDiscoveryList`;
      return json(aggregatedDiscovery(registry, root === "api", wanted), { "content-type": type, vary: "Accept" });
    }
    const host = header(request.headers, "host") ?? header(request.headers, ":authority") ?? "";
    return negotiated(request, root === "api" ? apiVersions(registry, host) : apiGroupList(registry));
  }
  const [group, version] = root === "api" ? ["", rest[0]] : [rest[0] as string, rest[1]];
  const served = registry.groups().find((each) => each.name === group);
  if (served === undefined) throw new PageNotFound();
  if (version === undefined) return negotiated(request, apiGroup(served));
  const found = served.versions.find((each) => each.version === version);
  if (found === undefined) throw isBuiltIn(registry, group) ? noSuchPath() : new PageNotFound();
  return negotiated(request, apiResourceList(group, found));
}

/** In any form that objects have. */
function negotiated({ headers }: ApiRequest, value: unknown): ApiAnswer {
  const accept = header(headers, "accept");
  checkLanguage(accept, OBJECTS);
  const { mediaType } = negotiate(accept, true);
  return { status: 200, headers: { "content-type": mediaType }, body: { type: "json", value, as: mediaType } };
}

/** The first form of discovery the client wants; undefined: the old one. */
function discoveryVersion(accept: string): DiscoveryVersion | undefined {
  for (const { type, parameters } of parseAccept(accept)) {
    if (type !== JSON_TYPE && type !== "application/*" && type !== "*/*") continue;
    if (parameters.size === 0) return undefined;
    const version = parameters.get("v");
    const aggregated = parameters.get("g") === "apidiscovery.k8s.io" && parameters.get("as") === "APIGroupDiscoveryList";
    if (aggregated && (version === "v2" || version === "v2beta1")) return version;
  }
  return undefined;
}

async function openApiAnswer(openapi: OpenApi, rest: readonly string[], request: ApiRequest): Promise<ApiAnswer> {
  const [version, ...path] = rest;
  if (version === "v2" && path.length === 0) {
    return swaggerAnswer(await openapi.swagger(), request.headers);
  }
  if (version !== "v3") throw new PageNotFound();
  const index = await openapi.index();
  if (path.length === 0) {
    const paths = Object.fromEntries([...index].map(([name, hash]) => [name, { serverRelativeURL: `/openapi/v3/${name}?hash=${hash}` }]));
    return json({ paths });
  }
  const name = path.join("/");
  const hash = index.get(name);
  if (hash === undefined) throw new PageNotFound();
  const headers = { "content-type": JSON_TYPE, etag: `"${hash}"` };
  // Asked for by its hash, a document never changes: clients keep it on disk.
  const forever = param(request.query, "hash") === hash;
  const expires = "Fri, 01 Jan 2100 00:00:00 GMT";
  return json(await openapi.document(name), forever ? { ...headers, "cache-control": "public, immutable", expires } : headers);
}

function versionBody({ major, minor, gitVersion }: VersionInfo) {
  return {
    major,
    minor,
    emulationMajor: major,
    emulationMinor: minor,
    minCompatibilityMajor: major,
    minCompatibilityMinor: String(Number(minor) - 1),
    gitVersion,
    gitCommit: "",
    gitTreeState: "clean",
    buildDate: "",
    goVersion: "",
    compiler: "",
    platform: `${process.platform}/${process.arch === "x64" ? "amd64" : process.arch}`,
  };
}

/** The one page that upstream lays out for people. */
function indented(value: unknown): ApiAnswer {
  const bytes = Buffer.from(JSON.stringify(value, undefined, 2));
  return { status: 200, headers: { "content-type": JSON_TYPE }, body: { type: "bytes", bytes } };
}

function json(value: unknown, headers: ApiAnswer["headers"] = { "content-type": JSON_TYPE }): ApiAnswer {
  return { status: 200, headers, body: { type: "json", value, as: JSON_TYPE } };
}
