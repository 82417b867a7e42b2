import { blameWithOrigins } from "pintle/internal/merge";
import { createCausalIndex, explainCommit, formatExplanation } from "pintle/internal/recorder";
import { describeDrop } from "../facts/index.ts";
import { pathOfKey } from "../objects/index.ts";
import type { Blame, ClusterEvent, EventList, Plans, Story, StoryDrop, StoryEntry, StoryRun, Why } from "../protocol.ts";
import { invalid, notFound } from "../source/index.ts";
import { describeCommit, describeWriter, listChanges } from "./describe-commit.ts";
import { describeLog, describePass, describeRun, describeStep } from "./describe-run.ts";
import { commitsOf, findObject, lastSequence, limitOf, numberOf, type RouteContext, requireState } from "./route-context.ts";

/** What happened to an object, newest first. */
export function getStory(context: RouteContext): Story {
  const { view, query } = context;
  const { index } = view;
  const state = requireState(context);
  const { key, path } = findObject(context, state);
  const sequence = lastSequence(context);
  const limit = limitOf(query, 200);
  const before = numberOf(query, "before");
  const cutoff = before === undefined ? sequence : Math.min(sequence, index.sequenceAt(before - 1));
  const commits = commitsOf(state, key).filter(({ revision }) => before === undefined || revision < before);
  const entries: StoryEntry[] = commits.slice(-limit - 1).map((commit) => describeCommit(view, commit));
  for (let i = index.facts.length - 1, found = 0; i >= 0 && found <= limit; i--) {
    const fact = index.facts[i]!;
    if (fact.sequence > cutoff) continue;
    if (fact.type === "run" && index.pathOfRun(fact.controller, fact.key) === path) {
      const steps = (index.plans.get(fact.id) ?? [])
        .flatMap((plan) => plan.steps)
        .filter(({ verb, step }) => verb !== undefined || step === "wait");
      entries.push({ ...describeRun(view, fact), type: "run", steps: steps.map((step) => describeStep(view, step)) });
      for (const log of index.logsOfRun.get(fact.id) ?? []) if (log.sequence <= cutoff) entries.push(describeLog(log));
      found++;
    } else if (fact.type === "drop") {
      const object = fact.cause?.object === undefined ? undefined : index.names.pathOf(fact.cause.object);
      if (object !== path && (fact.key === undefined || index.pathOfRun(fact.controller, fact.key) !== path)) continue;
      entries.push({
        type: "drop",
        time: fact.time,
        controller: fact.controller,
        reason: fact.reason,
        text: describeDrop(fact),
        cause: fact.cause,
        count: 1,
      });
      found++;
    }
  }
  for (const { last, first, type, reason, message, count } of listEvents(context, path))
    entries.push({
      type: "event",
      time: last ?? first ?? 0,
      level: type === "Warning" ? "warning" : "info",
      text: `${reason}: ${message}${count > 1 ? ` (${count} times)` : ""}`,
    });
  const folded = fold(entries.sort((a, b) => a.time - b.time || orderOf(a) - orderOf(b))).reverse();
  return { entries: folded.slice(0, limit), more: folded.length > limit, oldestRevision: state.oldestRevision };
}

const ORDER = ["commit", "drop", "run", "log", "event"];
const orderOf = ({ type }: StoryEntry) => ORDER.indexOf(type);

/** Joins runs without effect, and equal drops, that follow each other. */
function fold(entries: readonly StoryEntry[]): StoryEntry[] {
  const folded: StoryEntry[] = [];
  for (const entry of entries) {
    const before = folded.at(-1);
    if (isQuiet(entry) && before !== undefined && isQuiet(before) && before.controller === entry.controller)
      folded[folded.length - 1] = { ...entry, count: (before.count ?? 1) + 1 };
    else if (entry.type === "drop" && before?.type === "drop" && before.controller === entry.controller && before.reason === entry.reason)
      folded[folded.length - 1] = { ...entry, count: before.count + 1 } satisfies StoryDrop;
    else folded.push(entry);
  }
  return folded;
}

const isQuiet = (entry: StoryEntry): entry is StoryRun =>
  entry.type === "run" && entry.error === undefined && entry.commits.length === 0 && entry.result !== "running";

export function getBlame(context: RouteContext): Blame {
  const { view } = context;
  const state = requireState(context);
  const { key, value } = findObject(context, state);
  const commits = commitsOf(state, key).map(({ type, revision, previous }) => ({
    type,
    revision,
    previous: previous === undefined ? undefined : { value: view.source.redact(key, previous.value) },
  }));
  return {
    fields: blameWithOrigins(value, [...commits].reverse()).map(({ path, value: field, managers, since }) => {
      const { request, run, user } = since === undefined ? {} : describeWriter(view, since);
      return {
        path,
        value: field,
        managers: managers.map(({ manager, operation, subresource, time }) => ({
          manager,
          operation,
          subresource: subresource || undefined,
          time: time === "" ? undefined : Date.parse(time),
        })),
        since,
        time: since === undefined ? undefined : view.source.timeOf(since),
        request,
        run,
        user,
      };
    }),
  };
}

export function getWhy(context: RouteContext): Why {
  const revision = Number(context.params["revision"]);
  if (!Number.isSafeInteger(revision)) throw invalid("The revision must be a number.");
  return explain(context, revision);
}

export function getObjectWhy(context: RouteContext): Why {
  const state = requireState(context);
  const { key, revision, deleted } = findObject(context, state);
  const field = context.query.get("field");
  if (field === null || field === "") return explain(context, deleted ?? revision);
  const origins = getBlame(context).fields.filter(
    ({ path }) => path === field || path.startsWith(`${field}.`) || path.startsWith(`${field}[`),
  );
  if (origins.length === 0) throw notFound(`${key.replace(/^\/registry\//, "")} has no field ${field}.`);
  const since = origins.flatMap((origin) => origin.since ?? []);
  if (since.length === 0) throw notFound(`The commit that wrote ${field} is not retained any more.`);
  return explain(context, Math.max(...since));
}

function explain(context: RouteContext, revision: number): Why {
  const { view } = context;
  const state = view.state(context.at);
  const events = new Map((state?.history ?? []).map((event) => [event.revision, event]));
  const explanation = explainCommit(createCausalIndex(view.index.facts), revision, (commit) => {
    const event = events.get(commit.revision);
    return event === undefined ? [] : listChanges(view, event).map(({ path, old, new: now }) => ({ path, old, new: now }));
  });
  if (explanation === undefined) throw notFound(`The commit r${revision} is not recorded, or not any more.`);
  return { explanation, text: formatExplanation(explanation) };
}

const MAX_PASSES = 50;
export function getPlans(context: RouteContext): Plans {
  const { view } = context;
  const sequence = lastSequence(context);
  const { path } = findObject(context);
  const passes = [];
  for (let i = view.index.facts.length - 1; i >= 0 && passes.length < MAX_PASSES; i--) {
    const fact = view.index.facts[i]!;
    if (fact.type === "plan" && fact.sequence <= sequence && view.index.names.pathOf(fact.object) === path)
      passes.push(describePass(view, fact));
  }
  return { passes };
}

const EVENT_KEYS = /^\/registry\/events\//;
/** Events about an object, or all; newest first. */
export function listEvents(context: RouteContext, about?: string): readonly ClusterEvent[] {
  const { view } = context;
  const namespace = context.query.get("namespace");
  const events = [...requireState(context).entries].flatMap(([key, { value }]): ClusterEvent[] => {
    if (!EVENT_KEYS.test(key)) return [];
    const event = view.source.redact(key, value) as unknown as StoredEvent;
    const regarding = event.involvedObject ?? event.regarding ?? {};
    if (about === undefined && namespace && regarding.namespace !== namespace) return [];
    const object = view.index.names.pathOf({
      kind: regarding.kind ?? "",
      namespace: regarding.namespace,
      name: regarding.name ?? "",
      uid: regarding.uid,
    });
    if (about !== undefined && object !== about) return [];
    const series = event.series ?? {};
    return [
      {
        type: event.type === "Warning" ? "Warning" : "Normal",
        reason: event.reason ?? "",
        message: event.message ?? event.note ?? "",
        count: series.count ?? event.count ?? 1,
        first: timeOf(event.firstTimestamp ?? event.eventTime ?? event.metadata?.creationTimestamp),
        last: timeOf(series.lastObservedTime ?? event.lastTimestamp ?? event.eventTime ?? event.metadata?.creationTimestamp),
        from: event.reportingComponent || event.source?.component || event.reportingController || "",
        object:
          object ??
          pathOfKey(
            `/registry/${(regarding.kind ?? "").toLowerCase()}s/${regarding.namespace === undefined ? "" : `${regarding.namespace}/`}${regarding.name}`,
          ),
      },
    ];
  });
  return events.sort((a, b) => (b.last ?? 0) - (a.last ?? 0));
}

interface StoredEvent {
  readonly metadata?: { readonly creationTimestamp?: string };
  readonly type?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly note?: string;
  readonly count?: number;
  readonly firstTimestamp?: string | null;
  readonly lastTimestamp?: string | null;
  readonly eventTime?: string | null;
  readonly series?: { readonly count?: number; readonly lastObservedTime?: string };
  readonly source?: { readonly component?: string };
  readonly reportingComponent?: string;
  readonly reportingController?: string;
  readonly involvedObject?: Regarding;
  readonly regarding?: Regarding;
}
interface Regarding {
  readonly kind?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly uid?: string;
}
const timeOf = (text: string | null | undefined) => (text === null || text === undefined ? undefined : Date.parse(text));

export const getEvents = (context: RouteContext): EventList => ({ events: listEvents(context).slice(0, limitOf(context.query, 500)) });
export const getObjectEvents = (context: RouteContext): EventList => ({ events: listEvents(context, findObject(context).path) });
