import type { ConsoleHost, Fact, ObjectIdentity, RunCause } from "pintle";
import type { JsonObject } from "pintle/kinds";
import { createFactIndex, requestPath } from "../facts/index.ts";
import { parsePath, pathOfKey } from "../objects/index.ts";
import type { ObjectPath } from "../protocol.ts";
import { type ClusterState, type ConsoleSource, createStateFromFacts, gone } from "../source/index.ts";
import type { Viewer } from "./viewers.ts";

/** After this time everything is decided again, so that a right that was revoked ends. */
const RECHECK_MS = 30_000;

/** The facts of the operator that one viewer may see, and the objects in them. */
export function createViewerSource(host: ConsoleHost, viewer: Viewer): ConsoleSource {
  const { recorder, clock } = host;
  let visible: Fact[] = [];
  let generation = 0;
  let checked = { sequence: 0, redacted: recorder.redactor.generation, at: Number.NEGATIVE_INFINITY };
  let times = new Map<number, number>();
  let states = new Map<number, ClusterState>();
  const listeners = new Set<(fact: Fact) => void>();
  let refreshing: Promise<void> | undefined;

  const refresh = async () => {
    const isDue = clock.monotonic() - checked.at >= RECHECK_MS || checked.redacted !== recorder.redactor.generation;
    if (!isDue && checked.sequence === recorder.sequence) return;
    const facts = recorder.facts();
    const known = createFactIndex({
      id: recorder.processId,
      facts: () => facts,
      sequence: 0,
      dropped: 0,
      generation: 0,
      subscribe: () => () => {},
    });
    const filter = createFilter(known, viewer);
    const next: Fact[] = [];
    for (const fact of facts) {
      if (!isDue && fact.sequence <= checked.sequence) continue;
      const kept = await filter(fact);
      if (kept !== undefined) next.push(kept);
    }
    const sequence = recorder.sequence;
    states = new Map();
    if (isDue) {
      visible = next;
      generation++;
      times = new Map();
      checked = { sequence, redacted: recorder.redactor.generation, at: clock.monotonic() };
    } else {
      visible = [...visible, ...next];
      checked = { ...checked, sequence };
      for (const fact of next) for (const listener of listeners) listener(fact);
    }
    for (const fact of next) if (fact.type === "commit") times.set(fact.revision, fact.time);
  };
  return {
    mode: "production",
    name: host.name,
    cluster: host.name,
    can: ["history"],
    readOnlyReason: "The console of an operator in production only reads.",
    virtualClock: false,
    now: () => clock.now(),
    recording: {
      id: recorder.processId,
      facts: () => visible,
      get sequence() {
        return checked.sequence;
      },
      get dropped() {
        return recorder.dropped;
      },
      get generation() {
        return generation;
      },
      subscribe(listener) {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
    state(at) {
      const key = at ?? -1;
      const state = states.get(key) ?? createStateFromFacts(visible, at);
      states.set(key, state);
      if (at !== undefined && at < state.oldestRevision) throw gone(at, state.oldestRevision);
      return state;
    },
    timeOf: (revision) => times.get(revision),
    redact: (_, object) => object,
    sources: () => [],
    toYaml: (object: JsonObject) => JSON.stringify(object, null, 2),
    samples: [],
    // One at a time: two that read the same facts would show them twice.
    refresh: () => {
      refreshing = (refreshing ?? Promise.resolve()).then(refresh, refresh);
      return refreshing;
    },
    actions: {},
  };
}

type Index = ReturnType<typeof createFactIndex>;

/** Creates the filter of facts: what is about an object that the viewer may not read is left out, also inside of other facts. */
function createFilter(index: Index, viewer: Viewer): (fact: Fact) => Promise<Fact | undefined> {
  const decisions = new Map<ObjectPath, Promise<boolean>>();
  const mayRead = (path: ObjectPath | undefined): Promise<boolean> => {
    const parts = path === undefined ? undefined : parsePath(path);
    if (path === undefined || parts === undefined) return Promise.resolve(false);
    const known = decisions.get(path) ?? viewer.mayRead(parts);
    decisions.set(path, known);
    return known;
  };
  const mayReadObject = (object: ObjectIdentity) => mayRead(index.names.pathOf(object));
  const stripCause = async (cause: RunCause): Promise<RunCause> => {
    if (cause.object === undefined || (await mayReadObject(cause.object))) return cause;
    const { object: _, first: __, ...rest } = cause;
    return rest;
  };
  const keep = async <T>(items: readonly T[], isVisible: (item: T) => Promise<boolean>): Promise<readonly T[]> => {
    const decided = await Promise.all(items.map(isVisible));
    return items.filter((_, i) => decided[i]);
  };
  /** Facts about no object in particular are for those who may list all objects of the operator's kinds. */
  let everything: Promise<boolean> | undefined;
  const maySeeEverything = () => {
    const kinds = [...new Set(index.ownControllers.values())].flatMap((kind) => index.names.resourceOf(kind) ?? []);
    const resources = kinds.map((each) => {
      const [group = "", resource = ""] = each.split("/");
      return { group: group === "core" ? "" : group, resource };
    });
    everything ??= Promise.all(resources.map((each) => viewer.mayList(each))).then(
      (allowed) => allowed.length > 0 && allowed.every(Boolean),
    );
    return everything;
  };

  return async function filter(fact): Promise<Fact | undefined> {
    switch (fact.type) {
      case "commit":
        return (await mayRead(pathOfKey(fact.key))) ? fact : undefined;
      case "object": {
        const { namespace, name, uid } = fact.object["metadata"] as unknown as ObjectIdentity;
        const kind = fact.kind.split("/").at(-1)!;
        return (await mayReadObject({ kind, namespace, name, uid })) ? fact : undefined;
      }
      case "request": {
        const { kind = "", namespace, name = "", uid, resource } = fact;
        const path =
          resource === undefined ? index.names.pathOf({ kind, namespace, name, uid }) : requestPath(index.names, resource, namespace, name);
        return (await mayRead(path)) ? fact : undefined;
      }
      case "enqueue":
        return (await mayRead(index.pathOfRun(fact.controller, fact.key))) ? { ...fact, cause: await stripCause(fact.cause) } : undefined;
      case "drop": {
        const { cause } = fact;
        const path =
          fact.key !== undefined
            ? index.pathOfRun(fact.controller, fact.key)
            : cause?.object === undefined
              ? undefined
              : index.names.pathOf(cause.object);
        return (await mayRead(path)) ? { ...fact, cause: cause === undefined ? undefined : await stripCause(cause) } : undefined;
      }
      case "run":
        if (!(await mayRead(index.pathOfRun(fact.controller, fact.key)))) return undefined;
        return { ...fact, causes: await Promise.all(fact.causes.map(stripCause)) };
      case "plan": {
        if (!(await mayReadObject(fact.object))) return undefined;
        const { calls, state: _, reasons: __, ...rest } = fact;
        return {
          ...rest,
          reads: await keep(fact.reads, mayReadObject),
          steps: await keep(fact.steps, mayReadObject),
          // A call is shown with its objects, or not at all.
          calls:
            calls &&
            (await keep(
              calls,
              async ({ objects = [] }) => objects.length > 0 && (await keep(objects, mayReadObject)).length === objects.length,
            )),
        };
      }
      case "log": {
        const run = fact.run === undefined ? undefined : index.runs.get(fact.run);
        const isVisible = run === undefined ? await maySeeEverything() : await mayRead(index.pathOfRun(run.controller, run.key));
        return isVisible ? fact : undefined;
      }
      case "watch": {
        const [group, resource] = (index.names.resourceOf(fact.kind) ?? "").split("/");
        if (!group || !resource) return (await maySeeEverything()) ? fact : undefined;
        return (await viewer.mayList({ group: group === "core" ? "" : group, resource }, fact.namespace)) ? fact : undefined;
      }
      default:
        return (await maySeeEverything()) ? fact : undefined;
    }
  };
}
