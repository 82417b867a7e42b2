import type { Capability } from "../protocol.ts";
import { getChain } from "./chain.ts";
import { applyObjects, applySamples, deleteObject, getSchema, getSchemas } from "./editing.ts";
import { addFault, advanceClock, createFork, getLab, removeFault, removeFork, replay, restart, runNow } from "./lab.ts";
import { getNow } from "./now.ts";
import { getClusterDiff, getKinds, getObject, getObjectDiff, getObjects, getTree } from "./objects.ts";
import { execCommand, type PortForwards } from "./pods.ts";
import { getRequests } from "./requests.ts";
import type { RouteContext } from "./route-context.ts";
import { getDrops, getRun, getRuns } from "./runs.ts";
import { getLifecycle, getSearch } from "./search.ts";
import { getFact, getFactDetails, getFacts } from "./session.ts";
import { getSpeed } from "./speed.ts";
import { getBlame, getEvents, getObjectEvents, getObjectWhy, getPlans, getStory, getWhy } from "./story.ts";
import { getWatches } from "./watches.ts";

/** A route: what it needs, and what it answers. `undefined` is 204. */
export interface Route {
  readonly method: "GET" | "POST" | "DELETE";
  /** Below "/api"; ":x" is a segment, "*" an object path. */
  readonly path: string;
  /** Writes that the source cannot do are refused; a source without capabilities has no writing routes. */
  readonly needs?: Capability | undefined;
  handle(context: RouteContext): unknown;
}

/** Routes in the order in which they are tried. */
export function listRoutes(forwards: PortForwards): readonly Route[] {
  const get = (path: string, handle: Route["handle"]): Route => ({ method: "GET", path, handle });
  const post = (path: string, needs: Capability, handle: Route["handle"]): Route => ({ method: "POST", path, needs, handle });
  const remove = (path: string, needs: Capability, handle: Route["handle"]): Route => ({ method: "DELETE", path, needs, handle });
  return [
    get("/facts", getFacts),
    get("/facts/details", getFactDetails),
    get("/facts/:sequence", getFact),
    get("/now", getNow),
    get("/kinds", getKinds),
    get("/objects", getObjects),
    get("/objects/*", getObject),
    get("/objects/*/story", getStory),
    get("/objects/*/diff", getObjectDiff),
    get("/objects/*/blame", getBlame),
    get("/objects/*/why", getObjectWhy),
    get("/objects/*/plan", getPlans),
    get("/objects/*/events", getObjectEvents),
    get("/tree", getTree),
    get("/why/:revision", getWhy),
    get("/diff", getClusterDiff),
    get("/events", getEvents),
    get("/runs", getRuns),
    get("/runs/:id", getRun),
    get("/drops", getDrops),
    get("/requests", getRequests),
    get("/chain/:revision", getChain),
    get("/watches", getWatches),
    get("/speed", getSpeed),
    get("/lab", getLab),
    get("/schemas", getSchemas),
    get("/schemas/:group/:version/:kind", getSchema),
    get("/port-forwards", () => forwards.list()),
    get("/lifecycle", getLifecycle),
    get("/search", getSearch),
    post("/queue/run", "run-now", runNow),
    post("/lab/faults", "faults", addFault),
    remove("/lab/faults/:id", "faults", removeFault),
    post("/lab/clock", "clock", advanceClock),
    post("/lab/forks", "fork", createFork),
    remove("/lab/forks/:id", "fork", removeFork),
    post("/lab/restart", "restart", restart),
    post("/replay", "replay", replay),
    post("/apply", "edit", applyObjects),
    post("/samples", "edit", applySamples),
    remove("/objects/*", "edit", deleteObject),
    post("/exec", "exec", execCommand),
    post("/port-forwards", "port-forward", (context) => forwards.open(context)),
    remove("/port-forwards/:id", "port-forward", (context) => forwards.close(context)),
  ];
}

/** Finds the route of a path below "/api", whose segments are percent-encoded. */
export function findRoute(
  routes: readonly Route[],
  method: string,
  pathname: string,
): { readonly route: Route; readonly params: Readonly<Record<string, string>> } | undefined {
  const segments = splitPath(pathname);
  if (segments === undefined) return undefined;
  for (const route of routes) {
    const params = route.method === method ? matchPath(route.path, segments) : undefined;
    if (params !== undefined) return { route, params };
  }
  return undefined;
}

/** The decoded segments of a path; undefined if they cannot be decoded. */
export function splitPath(pathname: string): readonly string[] | undefined {
  try {
    return pathname.split("/").slice(1).map(decodeURIComponent);
  } catch {
    return undefined;
  }
}

const OBJECT_SEGMENTS = 4;
export function matchPath(pattern: string, segments: readonly string[]): Readonly<Record<string, string>> | undefined {
  const params: Record<string, string> = {};
  let at = 0;
  for (const part of pattern.split("/").slice(1)) {
    if (part === "*") {
      const path = segments.slice(at, at + OBJECT_SEGMENTS);
      // A slash inside of a segment would name another object.
      if (path.length < OBJECT_SEGMENTS || path.some((segment) => segment.includes("/") || segment === "")) return undefined;
      params["*"] = path.join("/");
      at += OBJECT_SEGMENTS;
      continue;
    }
    const segment = segments[at++];
    if (segment === undefined || (part.startsWith(":") ? segment === "" : segment !== part)) return undefined;
    if (part.startsWith(":")) params[part.slice(1)] = segment;
  }
  return at === segments.length ? params : undefined;
}
