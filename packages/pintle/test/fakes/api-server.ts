import { ConnectionError, type Transport, type TransportRequest, type TransportResponse } from "../../src/client/index.ts";
import type { Clock } from "../../src/clock/index.ts";
import { createLabelMatcher } from "../../src/selectors/index.ts";
import { applyConfiguration, applyMergePatch, type JsonTree } from "./patches.ts";
import { createWatchStream, type WatchStream } from "./watch-stream.ts";

/**
 * A minimal API server for fault injection: revisions, compaction, pages, watches with bookmarks, streaming lists, apply with one owner per field. Only for
 * faults of watches; the behaviour of a real server is tested against real servers.
 */
export interface FakeApiServer {
  readonly transport: Transport;
  /** All requests, as "PATCH /apis/apps/v1/namespaces/d/deployments/a". */
  readonly requests: readonly string[];
  /** Creates or changes an object as another client would. */
  put(plural: string, object: JsonTree): JsonTree;
  remove(plural: string, namespace: string, name: string): void;
  get(plural: string, namespace: string, name: string): JsonTree | undefined;
  list(plural: string): JsonTree[];
  /** Compacts the history: watches from an older version get 410. */
  compact(): void;
  /** Sends a bookmark to all watches. */
  bookmark(): void;
  /** Breaks all watches: a clean end, an error, truncated in flight, or silence (black hole). */
  cut(how?: "end" | "error" | "truncate" | "blackhole"): void;
  /** Milliseconds per event of a watch. */
  pace: number;
  /** Intercepts requests: a returned response replaces the real one. */
  intercept: ((request: TransportRequest) => FakeResponse | undefined | Promise<FakeResponse | undefined>) | undefined;
  /** Holds events back from watches while true. */
  holdEvents(held: boolean): void;
  readonly watches: number;
  readonly revision: number;
}
export interface FakeResponse {
  readonly status: number;
  readonly body: unknown;
}
export interface FakeApiServerOptions {
  readonly clock: Clock;
  readonly streaming?: boolean;
  /** Served plurals. Default: all. */
  readonly serves?: Set<string>;
}

interface LoggedEvent {
  readonly revision: number;
  readonly plural: string;
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly object: JsonTree;
  readonly before: JsonTree | undefined;
}
interface WatchSubscriber {
  readonly stream: WatchStream;
  readonly plural: string;
  readonly deliver: (event: LoggedEvent) => void;
}
interface ParsedPath {
  readonly apiVersion: string;
  readonly plural: string;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly sub: string | undefined;
}

export const statusResponse = (code: number, reason: string, message = reason, details?: JsonTree): FakeResponse => ({
  status: code,
  body: { kind: "Status", apiVersion: "v1", status: "Failure", code, reason, message, ...(details ? { details } : {}) },
});

export function createFakeApiServer({ clock, streaming = true, serves }: FakeApiServerOptions): FakeApiServer {
  const stored = new Map<string, { object: JsonTree; applied: Map<string, JsonTree> }>();
  let log: LoggedEvent[] = [];
  const held: LoggedEvent[] = [];
  const watching = new Set<WatchSubscriber>();
  const requests: string[] = [];
  let revision = 100;
  let compacted = 100;
  let holding = false;
  const keyOf = (plural: string, namespace: string | undefined, name: string) => `${plural}/${namespace ?? ""}/${name}`;

  const record = (event: LoggedEvent) => {
    log.push(event);
    if (holding) held.push(event);
    else for (const watch of watching) if (watch.plural === event.plural) watch.deliver(event);
  };
  const store = (plural: string, object: JsonTree, fields?: Map<string, JsonTree>): JsonTree => {
    const key = keyOf(plural, object["metadata"].namespace, object["metadata"].name);
    const before = stored.get(key)?.object;
    const { resourceVersion: _, ...metadata } = object["metadata"];
    const plain = ({ metadata: { resourceVersion: _rv, ...rest }, ...body }: JsonTree) => JSON.stringify([rest, body]);
    const whole = {
      ...object,
      metadata: {
        ...metadata,
        uid: before?.["metadata"].uid ?? `uid-${++revision}`,
        creationTimestamp: before?.["metadata"].creationTimestamp ?? new Date(clock.now()).toISOString(),
        generation:
          (before?.["metadata"].generation ?? 0) + (JSON.stringify(before?.["spec"]) === JSON.stringify(object["spec"]) && before ? 0 : 1),
      },
    };
    const owners = fields ?? stored.get(key)?.applied ?? new Map();
    if (before && plain(before) === plain(whole)) {
      stored.set(key, { object: before, applied: owners });
      return before;
    }
    const next = { ...whole, metadata: { ...whole.metadata, resourceVersion: String(++revision) } } as JsonTree;
    if (next["metadata"].deletionTimestamp && !next["metadata"].finalizers?.length) {
      stored.delete(key);
      record({ revision, plural, type: "DELETED", object: next, before });
      return next;
    }
    stored.set(key, { object: next, applied: owners });
    record({ revision, plural, type: before ? "MODIFIED" : "ADDED", object: next, before });
    return next;
  };
  const remove = (plural: string, namespace: string | undefined, name: string): JsonTree | undefined => {
    const key = keyOf(plural, namespace, name);
    const found = stored.get(key)?.object;
    if (found === undefined) return undefined;
    if (found["metadata"].finalizers?.length) {
      if (found["metadata"].deletionTimestamp) return found;
      return store(plural, { ...found, metadata: { ...found["metadata"], deletionTimestamp: new Date(clock.now()).toISOString() } });
    }
    stored.delete(key);
    const object = { ...found, metadata: { ...found["metadata"], resourceVersion: String(++revision) } };
    record({ revision, plural, type: "DELETED", object, before: found });
    return undefined;
  };

  const selects = (where: ParsedPath, query: TransportRequest["query"]) => {
    const labels = createLabelMatcher((query?.["labelSelector"] as string) ?? "");
    const fields = ((query?.["fieldSelector"] as string) ?? "")
      .split(",")
      .filter(Boolean)
      .map((term) => term.split("="));
    return (object: JsonTree) =>
      (where.namespace === undefined || object["metadata"].namespace === where.namespace) &&
      labels.matches(object["metadata"].labels) &&
      fields.every(([path, value]) => String(path!.split(".").reduce((at: any, step) => at?.[step], object) ?? "") === value);
  };
  const all = (plural: string) => [...stored].filter(([key]) => key.startsWith(`${plural}/`)).map(([, { object }]) => object);
  const bookmarkAt = (version: number, end = false) => ({
    type: "BOOKMARK",
    object: { metadata: { resourceVersion: String(version), ...(end ? { annotations: { "k8s.io/initial-events-end": "true" } } : {}) } },
  });

  const watch = (where: ParsedPath, request: TransportRequest): TransportResponse | FakeResponse => {
    const { query } = request;
    const initial = query?.["sendInitialEvents"] === "true";
    if (initial && !streaming) return statusResponse(422, "Invalid", "sendInitialEvents: Forbidden");
    const from = Number(query?.["resourceVersion"] ?? 0);
    if (!initial && from < compacted) return statusResponse(410, "Expired", "too old resource version");
    const matches = selects(where, query);
    let entry: WatchSubscriber;
    const pace = () => (server.pace === 0 ? undefined : clock.sleep(server.pace, request.signal).catch(() => {}));
    const out = createWatchStream(request.signal, pace, () => watching.delete(entry));
    const deliver = (event: LoggedEvent) => {
      const [was, is] = [event.before !== undefined && matches(event.before), event.type !== "DELETED" && matches(event.object)];
      if (was || is) out.push({ type: !was ? "ADDED" : is ? "MODIFIED" : "DELETED", object: event.object });
    };
    if (initial) {
      for (const object of all(where.plural)) if (matches(object)) out.push({ type: "ADDED", object });
      out.push(bookmarkAt(revision, true));
    } else for (const event of log) if (event.plural === where.plural && event.revision > from && !held.includes(event)) deliver(event);
    entry = { stream: out, plural: where.plural, deliver };
    watching.add(entry);
    return { status: 200, headers: {}, json: () => Promise.reject(), bytes: () => out.lines as never, lines: () => out.lines };
  };

  const answer = (where: ParsedPath, request: TransportRequest): FakeResponse | TransportResponse => {
    const { query, method } = request;
    const body = request.body as JsonTree;
    if (serves !== undefined && !serves.has(where.plural))
      return statusResponse(404, "NotFound", "the server could not find the requested resource");
    const missing = () =>
      statusResponse(404, "NotFound", `${where.plural} "${where.name}" not found`, { name: where.name, kind: where.plural });
    if (where.name === undefined && method === "GET" && query?.["watch"] === "true") return watch(where, request);
    if (where.name === undefined && method === "GET") {
      const token = query?.["continue"] as string | undefined;
      const [start, at] = token === undefined ? [0, revision] : (token.split("@").map(Number) as [number, number]);
      if (at < compacted) return statusResponse(410, "Expired", "the continue token is too old");
      const items = all(where.plural).filter(selects(where, query));
      const size = Number(query?.["limit"] ?? items.length);
      const rest = items.length > start + size ? { continue: `${start + size}@${at}` } : {};
      return { status: 200, body: { metadata: { resourceVersion: String(at), ...rest }, items: items.slice(start, start + size) } };
    }
    if (method === "POST") {
      if (stored.has(keyOf(where.plural, where.namespace, body["metadata"].name))) return statusResponse(409, "AlreadyExists");
      return { status: 201, body: store(where.plural, body) };
    }
    const name = where.name!;
    const entry = stored.get(keyOf(where.plural, where.namespace, name));
    const uid = method === "DELETE" ? body?.["preconditions"]?.uid : body?.["metadata"]?.uid;
    if (uid !== undefined && entry?.object["metadata"].uid !== uid)
      return entry ? statusResponse(409, "Conflict", "uid mismatch") : missing();
    if (method === "PATCH" && request.headers?.["content-type"] === "application/apply-patch+yaml") {
      if (entry === undefined && where.sub !== undefined) return missing();
      const manager = `${query?.["fieldManager"]}/${where.sub ?? ""}`;
      const owners = new Map(entry?.applied);
      const { metadata, ...rest } = body;
      const { uid: _u, resourceVersion: _v, ...named } = metadata;
      const wanted = where.sub === undefined ? { ...rest, metadata: named } : { [where.sub]: body[where.sub] };
      const next = applyConfiguration(entry?.object ?? { metadata: { name, namespace: where.namespace } }, owners.get(manager), wanted);
      owners.set(manager, wanted);
      return { status: entry ? 200 : 201, body: store(where.plural, next, owners) };
    }
    if (entry === undefined) return missing();
    if (method === "GET") return { status: 200, body: entry.object };
    if (method === "DELETE") {
      const left = remove(where.plural, where.namespace, name);
      return {
        status: 200,
        body: left ?? { kind: "Status", apiVersion: "v1", status: "Success", details: { name, uid: entry.object["metadata"].uid } },
      };
    }
    const change = where.sub === undefined ? body : { [where.sub]: body[where.sub], metadata: {} };
    const version = body["metadata"]?.resourceVersion;
    if (version !== undefined && version !== entry.object["metadata"].resourceVersion)
      return statusResponse(409, "Conflict", "the object has been modified");
    return {
      status: 200,
      body: store(
        where.plural,
        method === "PUT"
          ? { ...entry.object, ...change, metadata: { ...entry.object["metadata"], ...change["metadata"] } }
          : applyMergePatch(entry.object, change),
      ),
    };
  };

  const server: FakeApiServer = {
    requests,
    intercept: undefined,
    pace: 0,
    put: (plural, object) =>
      structuredClone(
        store(plural, applyMergePatch(stored.get(keyOf(plural, object["metadata"].namespace, object["metadata"].name))?.object, object)),
      ),
    remove: (plural, namespace, name) => void remove(plural, namespace, name),
    get: (plural, namespace, name) => stored.get(keyOf(plural, namespace, name))?.object,
    list: all,
    compact() {
      compacted = ++revision;
      log = [];
    },
    bookmark() {
      for (const { stream } of watching) stream.push(bookmarkAt(revision));
    },
    cut(how = "end") {
      for (const watch of [...watching]) {
        watching.delete(watch);
        if (how === "blackhole") watch.stream.blackhole();
        else if (how === "truncate") watch.stream.truncate(brokenConnection("GET watch"));
        else watch.stream.end(how === "error" ? brokenConnection("GET watch") : undefined);
      }
    },
    holdEvents(on) {
      holding = on;
      if (on) return;
      for (const event of held.splice(0)) for (const watch of watching) if (watch.plural === event.plural) watch.deliver(event);
    },
    get watches() {
      return watching.size;
    },
    get revision() {
      return revision;
    },
    transport: {
      async request(request) {
        requests.push(`${request.method} ${request.path}${request.query?.["watch"] === "true" ? "?watch" : ""}`);
        request.signal?.throwIfAborted();
        const given = await server.intercept?.(request);
        const result = given ?? answer(parseTarget(request.path), request);
        if (!("body" in result)) return result;
        // Responses are copies, as those of a real server.
        const body = structuredClone(result.body);
        return {
          status: result.status,
          headers: { "content-type": "application/json" },
          json: async () => body,
          lines: () => [] as never,
          bytes: () => [] as never,
        };
      },
      async close() {
        server.cut();
      },
    },
  };
  return server;
}

export const brokenConnection = (request: string) => new ConnectionError({ message: "socket hang up", request }, true);

function parseTarget(path: string): ParsedPath {
  const steps = path.split("/").slice(1);
  const apiVersion = steps[0] === "api" ? steps[1]! : `${steps[1]}/${steps[2]}`;
  const rest = steps.slice(steps[0] === "api" ? 2 : 3);
  const [namespace, [plural, name, sub]] = rest[0] === "namespaces" && rest.length > 2 ? [rest[1], rest.slice(2)] : [undefined, rest];
  return { apiVersion, plural: plural!, namespace, name, sub };
}
