import type { JsonObject } from "pintle/kinds";
import type { FactIndex } from "../facts/index.ts";
import { keyOfPath } from "../objects/index.ts";
import type { ObjectPath } from "../protocol.ts";
import {
  type ClusterState,
  type ConsoleSource,
  invalid,
  notFound,
  type StoredCommit,
  type StoredObject,
  unsupported,
} from "../source/index.ts";

/** A source and its joined facts. */
export interface View {
  readonly source: ConsoleSource;
  readonly index: FactIndex;
  /** The objects at a revision; undefined if the source knows none. */
  state(at: number | undefined): ClusterState | undefined;
}

/** What a route gets. */
export interface RouteContext {
  readonly view: View;
  /** The segments of the path that the route names. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** The moment that is shown; undefined: now. */
  readonly at: number | undefined;
  readonly body: unknown;
  readonly signal: AbortSignal;
}

/** Creates the view of a source. */
export function createView(source: ConsoleSource, index: FactIndex): View {
  let known = 0;
  return {
    source,
    index,
    state(at) {
      const state = source.state(at);
      // Kinds that appear later are learned from their first object.
      if (state !== undefined && state.entries.size !== known) {
        known = state.entries.size;
        for (const [key, { value }] of state.entries)
          index.names.learn(key, undefined, String(value["kind"] ?? ""), String(value["apiVersion"] ?? ""));
      }
      return state;
    },
  };
}

export function requireState({ view, at }: RouteContext): ClusterState {
  const state = view.state(at);
  if (state === undefined) throw unsupported("This source has no objects, only facts.");
  return state;
}

/** An object of a route's path, as it is, or as it was before it was deleted. */
export interface FoundObject {
  readonly key: string;
  readonly path: ObjectPath;
  /** Without secrets. */
  readonly value: JsonObject;
  readonly revision: number;
  /** The revision of its deletion. */
  readonly deleted?: number | undefined;
}

/** Finds the object of a path in a state. */
export function findObject(context: RouteContext, state = requireState(context), path = context.params["*"] ?? ""): FoundObject {
  const key =
    keyOfPath(path, (each) => state.entries.has(each)) ?? keyOfPath(path, (each) => state.history.some((event) => event.key === each));
  const { source } = context.view;
  const entry: StoredObject | undefined = key === undefined ? undefined : state.entries.get(key);
  if (key !== undefined && entry !== undefined) return { key, path, value: source.redact(key, entry.value), revision: entry.revision };
  const last = key === undefined ? undefined : state.history.findLast((event) => event.key === key);
  if (key === undefined || last === undefined)
    throw notFound(`${path} does not exist${context.at === undefined ? "" : ` at r${context.at}`}, and no deletion of it is retained.`);
  return { key, path, value: source.redact(key, last.value), revision: last.previous?.revision ?? last.revision, deleted: last.revision };
}

/** The commits of a key, oldest first. */
export const commitsOf = (state: ClusterState, key: string): readonly StoredCommit[] => state.history.filter((event) => event.key === key);

/** A number of the query. */
export function numberOf(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null || text === "") return undefined;
  if (!/^\d{1,15}$/.test(text)) throw invalid(`${name} must be a number.`);
  return Number(text);
}

/** `limit` of the query, bounded. */
export const limitOf = (query: URLSearchParams, fallback: number, max = 5_000): number =>
  Math.max(1, Math.min(max, numberOf(query, "limit") ?? fallback));

/** The sequence up to which facts belong to the moment that is shown. */
export const lastSequence = ({ view, at }: RouteContext): number =>
  at === undefined ? Number.POSITIVE_INFINITY : view.index.sequenceAt(at);
