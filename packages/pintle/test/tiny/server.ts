import { matcher } from "../../src/cache/index.ts";
import { ConnectionError, type Transport, type TransportRequest, type TransportResponse } from "../../src/client/index.ts";
import type { Clock } from "../../src/queue/index.ts";
import { applied, merged, type Tree } from "./objects.ts";
import { type Stream, stream } from "./stream.ts";

/**
 * Just enough of an API server to break on purpose: revisions, a log that can be compacted, pages, watches with
 * bookmarks, streaming lists, apply with one owner per field. For the faults of streams only; what a real server does
 * with objects is tested against real servers.
 */
export interface TinyServer {
  readonly transport: Transport;
  /** "PATCH /apis/apps/v1/namespaces/d/deployments/a" of everything that was asked. */
  readonly requests: readonly string[];
  /** Creates or changes an object as a stranger would. */
  put(plural: string, object: Tree): Tree;
  remove(plural: string, namespace: string, name: string): void;
  get(plural: string, namespace: string, name: string): Tree | undefined;
  list(plural: string): Tree[];
  /** Forgets the past: watches from an older version get 410. */
  compact(): void;
  /** Sends everyone a bookmark. */
  bookmark(): void;
  /** Ends all streams: cleanly, with an error, in the middle of what is on its way, or never (black hole). */
  cut(how?: "end" | "error" | "truncate" | "blackhole"): void;
  /** Milliseconds that each line of a stream takes. */
  pace: number;
  /** What happens to requests: return an answer to replace the real one. */
  intercept: ((request: TransportRequest) => Answer | undefined | Promise<Answer | undefined>) | undefined;
  /** Events reach watches only while this is false. */
  hold(held: boolean): void;
  readonly watches: number;
  readonly revision: number;
}
export interface Answer {
  readonly status: number;
  readonly body: unknown;
}
export interface TinyOptions {
  readonly clock: Clock;
  readonly streaming?: boolean;
  /** Plurals that are served; everything when left out. */
  readonly serves?: Set<string>;
}

interface Logged {
  readonly revision: number;
  readonly plural: string;
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly object: Tree;
  readonly before: Tree | undefined;
}
interface Watching {
  readonly stream: Stream;
  readonly plural: string;
  readonly see: (event: Logged) => void;
}
interface Where {
  readonly apiVersion: string;
  readonly plural: string;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly sub: string | undefined;
}

export const refusal = (code: number, reason: string, message = reason, details?: Tree): Answer => ({
  status: code,
  body: { kind: "Status", apiVersion: "v1", status: "Failure", code, reason, message, ...(details ? { details } : {}) },
});

export function tinyServer({ clock, streaming = true, serves }: TinyOptions): TinyServer {
  const stored = new Map<string, { object: Tree; applied: Map<string, Tree> }>();
  let log: Logged[] = [];
  const held: Logged[] = [];
  const watching = new Set<Watching>();
  const requests: string[] = [];
  let revision = 100;
  let compacted = 100;
  let holding = false;
  const keyOf = (plural: string, namespace: string | undefined, name: string) => `${plural}/${namespace ?? ""}/${name}`;

  const record = (event: Logged) => {
    log.push(event);
    if (holding) held.push(event);
    else for (const watch of watching) if (watch.plural === event.plural) watch.see(event);
  };
  const store = (plural: string, object: Tree, fields?: Map<string, Tree>): Tree => {
    const key = keyOf(plural, object["metadata"].namespace, object["metadata"].name);
    const before = stored.get(key)?.object;
    const { resourceVersion: _, ...metadata } = object["metadata"];
    const plain = ({ metadata: { resourceVersion: _rv, ...rest }, ...body }: Tree) => JSON.stringify([rest, body]);
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
    const next = { ...whole, metadata: { ...whole.metadata, resourceVersion: String(++revision) } } as Tree;
    if (next["metadata"].deletionTimestamp && !next["metadata"].finalizers?.length) {
      stored.delete(key);
      record({ revision, plural, type: "DELETED", object: next, before });
      return next;
    }
    stored.set(key, { object: next, applied: owners });
    record({ revision, plural, type: before ? "MODIFIED" : "ADDED", object: next, before });
    return next;
  };
  const remove = (plural: string, namespace: string | undefined, name: string): Tree | undefined => {
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

  const selects = (where: Where, query: TransportRequest["query"]) => {
    const labels = matcher((query?.["labelSelector"] as string) ?? "");
    const fields = ((query?.["fieldSelector"] as string) ?? "")
      .split(",")
      .filter(Boolean)
      .map((term) => term.split("="));
    return (object: Tree) =>
      (where.namespace === undefined || object["metadata"].namespace === where.namespace) &&
      labels.matches(object["metadata"].labels) &&
      fields.every(([path, value]) => String(path!.split(".").reduce((at: any, step) => at?.[step], object) ?? "") === value);
  };
  const all = (plural: string) => [...stored].filter(([key]) => key.startsWith(`${plural}/`)).map(([, { object }]) => object);
  const bookmarkAt = (version: number, end = false) => ({
    type: "BOOKMARK",
    object: { metadata: { resourceVersion: String(version), ...(end ? { annotations: { "k8s.io/initial-events-end": "true" } } : {}) } },
  });

  const watch = (where: Where, request: TransportRequest): TransportResponse | Answer => {
    const { query } = request;
    const initial = query?.["sendInitialEvents"] === "true";
    if (initial && !streaming) return refusal(422, "Invalid", "sendInitialEvents: Forbidden");
    const from = Number(query?.["resourceVersion"] ?? 0);
    if (!initial && from < compacted) return refusal(410, "Expired", "too old resource version");
    const matches = selects(where, query);
    let entry: Watching;
    const pace = () => (server.pace === 0 ? undefined : clock.sleep(server.pace, request.signal).catch(() => {}));
    const out = stream(request.signal, pace, () => watching.delete(entry));
    const see = (event: Logged) => {
      const [was, is] = [event.before !== undefined && matches(event.before), event.type !== "DELETED" && matches(event.object)];
      if (was || is) out.push({ type: !was ? "ADDED" : is ? "MODIFIED" : "DELETED", object: event.object });
    };
    if (initial) {
      for (const object of all(where.plural)) if (matches(object)) out.push({ type: "ADDED", object });
      out.push(bookmarkAt(revision, true));
    } else for (const event of log) if (event.plural === where.plural && event.revision > from && !held.includes(event)) see(event);
    entry = { stream: out, plural: where.plural, see };
    watching.add(entry);
    return { status: 200, headers: {}, json: () => Promise.reject(), bytes: () => out.lines as never, lines: () => out.lines };
  };

  const answer = (where: Where, request: TransportRequest): Answer | TransportResponse => {
    const { query, method } = request;
    const body = request.body as Tree;
    if (serves !== undefined && !serves.has(where.plural))
      return refusal(404, "NotFound", "the server could not find the requested resource");
    const missing = () => refusal(404, "NotFound", `${where.plural} "${where.name}" not found`, { name: where.name, kind: where.plural });
    if (where.name === undefined && method === "GET" && query?.["watch"] === "true") return watch(where, request);
    if (where.name === undefined && method === "GET") {
      const token = query?.["continue"] as string | undefined;
      const [start, at] = token === undefined ? [0, revision] : (token.split("@").map(Number) as [number, number]);
      if (at < compacted) return refusal(410, "Expired", "the continue token is too old");
      const items = all(where.plural).filter(selects(where, query));
      const size = Number(query?.["limit"] ?? items.length);
      const rest = items.length > start + size ? { continue: `${start + size}@${at}` } : {};
      return { status: 200, body: { metadata: { resourceVersion: String(at), ...rest }, items: items.slice(start, start + size) } };
    }
    if (method === "POST") {
      if (stored.has(keyOf(where.plural, where.namespace, body["metadata"].name))) return refusal(409, "AlreadyExists");
      return { status: 201, body: store(where.plural, body) };
    }
    const name = where.name!;
    const entry = stored.get(keyOf(where.plural, where.namespace, name));
    const uid = method === "DELETE" ? body?.["preconditions"]?.uid : body?.["metadata"]?.uid;
    if (uid !== undefined && entry?.object["metadata"].uid !== uid) return entry ? refusal(409, "Conflict", "uid mismatch") : missing();
    if (method === "PATCH" && request.headers?.["content-type"] === "application/apply-patch+yaml") {
      if (entry === undefined && where.sub !== undefined) return missing();
      const manager = `${query?.["fieldManager"]}/${where.sub ?? ""}`;
      const owners = new Map(entry?.applied);
      const { metadata, ...rest } = body;
      const { uid: _u, resourceVersion: _v, ...named } = metadata;
      const wanted = where.sub === undefined ? { ...rest, metadata: named } : { [where.sub]: body[where.sub] };
      const next = applied(entry?.object ?? { metadata: { name, namespace: where.namespace } }, owners.get(manager), wanted);
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
      return refusal(409, "Conflict", "the object has been modified");
    return {
      status: 200,
      body: store(
        where.plural,
        method === "PUT"
          ? { ...entry.object, ...change, metadata: { ...entry.object["metadata"], ...change["metadata"] } }
          : merged(entry.object, change),
      ),
    };
  };

  const server: TinyServer = {
    requests,
    intercept: undefined,
    pace: 0,
    put: (plural, object) =>
      structuredClone(
        store(plural, merged(stored.get(keyOf(plural, object["metadata"].namespace, object["metadata"].name))?.object, object)),
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
        else if (how === "truncate") watch.stream.truncate(broken("GET watch"));
        else watch.stream.end(how === "error" ? broken("GET watch") : undefined);
      }
    },
    hold(on) {
      holding = on;
      if (on) return;
      for (const event of held.splice(0)) for (const watch of watching) if (watch.plural === event.plural) watch.see(event);
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
        const result = given ?? answer(whereOf(request.path), request);
        if (!("body" in result)) return result;
        // A real server's bytes are nobody else's objects.
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

export const broken = (request: string) => new ConnectionError({ message: "socket hang up", request }, true);

function whereOf(path: string): Where {
  const steps = path.split("/").slice(1);
  const apiVersion = steps[0] === "api" ? steps[1]! : `${steps[1]}/${steps[2]}`;
  const rest = steps.slice(steps[0] === "api" ? 2 : 3);
  const [namespace, [plural, name, sub]] = rest[0] === "namespaces" && rest.length > 2 ? [rest[1], rest.slice(2)] : [undefined, rest];
  return { apiVersion, plural: plural!, namespace, name, sub };
}
