import type { Trace, TraceCommit } from "@pintle/cluster";
import { type Fact, type FieldDifference, formatExplanation, type RunFact } from "pintle";
import { stringifyJson } from "pintle/internal/json";
import { diffObjects } from "pintle/internal/merge";
import { createCausalIndex, explainCommit } from "pintle/internal/recorder";
import type { JsonObject } from "pintle/kinds";
import { type Command, CommandError, OUTPUT_DESCRIPTION, OUTPUT_OPTION, outputFormatter } from "../../command/index.ts";
import { formatTime, openTrace, toPrintable } from "./open-trace.ts";

export const traceShow: Command = {
  name: "trace show",
  summary: "Print a trace file: the failed test and other failures, or the history of one object with the cause of each change.",
  usage: "<file> [<resource> <name>] [--namespace NAME] [--output json|yaml]",
  options: { namespace: { type: "string", short: "n" }, ...OUTPUT_OPTION },
  optionDescriptions: { namespace: "namespace of the object (default: any)", ...OUTPUT_DESCRIPTION },
  examples: [
    "pintle trace show .pintle/traces/scales-the-cache.pintle-trace",
    "pintle trace show failed.pintle-trace deployments web",
    "pintle trace show failed.pintle-trace memcacheds m1 -n shop --output json",
  ],
  maxPositionals: 3,
  async run(args, io) {
    const output = outputFormatter(args);
    const trace = await openTrace(args, io, "trace show");
    const [, resource, name] = args.positionals;
    if (resource === undefined) {
      const overview = describeTrace(trace);
      return io.out(output === undefined ? `${toPrintable(formatOverview(overview, trace))}\n` : output(overview));
    }
    if (name === undefined)
      throw new CommandError("PINTLE7004", "missing argument: name the object, for example: pintle trace show FILE deployments web", 2);
    const story = tellStory(trace, resource, name, args.values["namespace"] as string | undefined);
    io.out(output === undefined ? `${toPrintable(story.map(({ text }) => text).join("\n"))}\n` : output(story));
  },
};

/** Summarizes a trace: its content, and the failures in it. */
function describeTrace({ manifest, facts, base, commits }: Trace) {
  const runs = facts.filter((fact): fact is RunFact => fact.type === "run");
  return {
    about: manifest.about,
    time: manifest.time,
    dropped: manifest.dropped,
    objects: base.length,
    commits: commits.length,
    runs: runs.length,
    failedRuns: runs
      .filter(({ error }) => error !== undefined)
      .map(({ id, controller, key, error, frames }) => ({ id, controller, key, error, frames })),
    refusedRequests: facts.flatMap((fact) =>
      fact.type === "request" && fact.code >= 400 && fact.side === "server"
        ? [
            {
              id: fact.id,
              user: fact.user,
              verb: fact.verb,
              resource: fact.resource,
              namespace: fact.namespace,
              name: fact.name,
              code: fact.code,
              message: fact.message ?? fact.reason,
            },
          ]
        : [],
    ),
    faults: facts.flatMap((fact) => (fact.type === "fault" ? [`${fact.subject}: ${fact.fault}`] : [])),
    drops: countDrops(facts),
    changed: [...countBy(commits.map(({ key }) => key.replace(/^\/registry\//, "")))].map(([key, count]) => ({ key, commits: count })),
  };
}
type Overview = ReturnType<typeof describeTrace>;

const MAX_LINES = 15;

function formatOverview(
  { about, objects, commits, runs, failedRuns, refusedRequests, faults, drops, changed, dropped }: Overview,
  { output }: Trace,
): string {
  const { test } = about;
  const section = (title: string, lines: readonly string[]) =>
    lines.length === 0
      ? []
      : [
          `${title}:`,
          ...lines.slice(0, MAX_LINES).map((line) => `  ${line}`),
          ...(lines.length > MAX_LINES ? [`  and ${lines.length - MAX_LINES} more`] : []),
        ];
  const at = (parts: readonly (string | undefined)[]) => parts.filter(Boolean).join("/");
  return [
    test === undefined ? `trace of ${about.source}` : `test: ${test.name}${test.file === undefined ? "" : ` (${test.file})`}`,
    ...(test?.error === undefined ? [] : [test.error.split("\n").slice(0, MAX_LINES).join("\n")]),
    `${objects} objects at the start, ${commits} commits, ${runs} runs${dropped === 0 ? "" : `, ${dropped} older facts dropped`}`,
    ...section(
      "failed runs",
      failedRuns.map(
        ({ id, controller, key, error, frames = [] }) =>
          `${id} ${controller} ${key}: ${error}${frames[0] === undefined ? "" : `\n    at ${frames[0]}`}`,
      ),
    ),
    ...section(
      "refused requests",
      refusedRequests.map(
        ({ user, verb, resource, namespace, name, code, message }) =>
          `${user}: ${verb} ${at([resource, namespace, name])}: ${code} ${message ?? ""}`,
      ),
    ),
    ...section("injected faults", faults),
    ...section(
      "events that led to no run",
      drops.map(({ text, count }) => (count === 1 ? text : `${text} (${count} times)`)),
    ),
    ...section(
      "changed objects",
      changed.map(({ key, commits: count }) => `${key} (${count})`),
    ),
    ...(output === "" || test !== undefined ? [] : ["output:", output]),
  ].join("\n");
}

function countDrops(facts: readonly Fact[]) {
  const texts = facts.flatMap((fact) => {
    if (fact.type !== "drop" || fact.reason === "own write" || fact.reason === "mapped to no key") return [];
    const object = fact.cause?.object;
    const what =
      object === undefined
        ? (fact.key ?? "")
        : `${object.kind} ${[object.namespace, object.name].filter(Boolean).join("/")} ${fact.cause?.event}`;
    return [`${fact.controller}: ${what}: ${fact.reason}`];
  });
  return [...countBy(texts)].map(([text, count]) => ({ text, count }));
}

function countBy(keys: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}

interface StoryLine {
  readonly time: number;
  readonly text: string;
  readonly fact?: Fact | undefined;
}

/** Everything about one object, oldest first: its commits with their causes, the runs that reconciled it, and events that led to none. */
function tellStory(trace: Trace, resource: string, name: string, namespace: string | undefined): readonly StoryLine[] {
  const { facts, base, commits } = trace;
  const keys = new Set([...base, ...commits].map(({ key }) => key).filter((key) => matchesKey(key, resource, name, namespace)));
  if (keys.size === 0)
    throw new CommandError(
      "PINTLE7110",
      `the trace has no ${resource} ${namespace === undefined ? "" : `${namespace}/`}${name}: see 'pintle trace show FILE' for what it has`,
    );
  if (keys.size > 1)
    throw new CommandError(
      "PINTLE7110",
      `the trace has ${keys.size} objects ${resource} ${name}: name one with --namespace: ${[...keys].map((key) => key.split("/").at(-2)).join(", ")}`,
    );
  const [key] = [...keys] as [string];
  const index = createCausalIndex(facts);
  const changes = listChanges(trace);
  const lines: StoryLine[] = [];
  for (const commit of commits) {
    if (commit.key !== key) continue;
    const explanation = explainCommit(index, commit.revision, ({ revision }) => changes(revision));
    const text = explanation === undefined ? `r${commit.revision} ${commit.operation}` : formatExplanation(explanation);
    lines.push({ time: commit.time, text: `${formatTime(commit.time)} ${text.replaceAll("\n", `\n${" ".repeat(13)}`)}` });
  }
  const uids = new Set(commits.filter((commit) => commit.key === key).map(({ uid }) => uid));
  for (const each of base) if (each.key === key) uids.add(String((each.object["metadata"] as JsonObject | undefined)?.["uid"]));
  const objectKey = key.split("/").slice(-2).join("/");
  const reconciled = new Set(facts.flatMap((fact) => (fact.type === "plan" && uids.has(fact.object.uid ?? "") ? [fact.run] : [])));
  for (const fact of facts) {
    const text = formatFact(fact, reconciled, uids, objectKey);
    if (text !== undefined) lines.push({ time: fact.time, text: `${formatTime(fact.time)} ${text}`, fact });
  }
  return lines.sort((a, b) => a.time - b.time);
}

function matchesKey(key: string, resource: string, name: string, namespace: string | undefined): boolean {
  const parts = key.split("/").slice(2);
  if (parts.pop() !== name) return false;
  const [wanted = "", ...group] = resource.toLowerCase().split(".");
  const isResource = (part: string | undefined) =>
    part === wanted || part === `${wanted}s` || part === `${wanted}es` || part === wanted.replace(/y$/, "ies");
  const hasGroup = group.length === 0 || parts[0] === group.join(".") || !parts[0]?.includes(".");
  if (!hasGroup) return false;
  // Cluster-scoped objects have no namespace in their key.
  return (
    (isResource(parts.at(-2)) && (namespace === undefined || parts.at(-1) === namespace)) ||
    (isResource(parts.at(-1)) && namespace === undefined)
  );
}

function formatFact(fact: Fact, reconciled: ReadonlySet<string>, uids: ReadonlySet<string>, objectKey: string): string | undefined {
  switch (fact.type) {
    case "run":
      if (!reconciled.has(fact.id)) return undefined;
      return `run ${fact.id} of ${fact.controller}: ${fact.result}, waited ${fact.waited} ms, took ${fact.duration} ms${fact.error === undefined ? "" : `: ${fact.error}`}${(fact.frames ?? []).map((frame) => `\n    at ${frame}`).join("")}`;
    case "plan":
      if (!reconciled.has(fact.run)) return undefined;
      return `  pass ${fact.pass} of ${fact.run}: ${
        fact.error ??
        (fact.steps
          .filter(({ step }) => step !== "skip")
          .map(formatStep)
          .join(", ") ||
          "nothing to do")
      }`;
    case "log":
      return fact.run !== undefined && reconciled.has(fact.run) ? `  ${fact.level}: ${fact.message}` : undefined;
    case "drop":
      if (fact.reason === "own write" || (!uids.has(fact.cause?.object?.uid ?? "") && fact.key !== objectKey)) return undefined;
      return `no run of ${fact.controller}: ${fact.reason}${fact.until === undefined ? "" : ` until ${formatTime(fact.until)}`}`;
    default:
      return undefined;
  }
}

const MAX_CHANGES = 4;
function formatStep({ step, kind, namespace, name, reason, changes = [] }: Extract<Fact, { type: "plan" }>["steps"][number]): string {
  const shown = changes.slice(0, MAX_CHANGES).map(({ path, old, new: now }) => `${path} ${formatValue(old)} -> ${formatValue(now)}`);
  const more = changes.length > MAX_CHANGES ? [`${changes.length - MAX_CHANGES} more`] : [];
  return `${step} ${kind} ${[namespace, name].filter(Boolean).join("/")} (${[reason, ...shown, ...more].join("; ")})`;
}

const MAX_TEXT = 40;
function formatValue(value: unknown): string {
  const text = value === undefined ? "unset" : stringifyJson(value);
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
}

/** Fields that every apply changes, and that are not shown. */
const BOOKKEEPING = /^\.metadata\.(generation|annotations\.pintle\.dev\/applied)$/;

/** Returns a function that returns the fields that a commit changed. */
export function listChanges({ base, commits }: Pick<Trace, "base" | "commits">): (revision: number) => readonly FieldDifference[] {
  const last = new Map(base.map(({ key, object }) => [key, object]));
  const before = new Map<number, readonly [old: JsonObject | undefined, commit: TraceCommit]>();
  for (const commit of commits) {
    before.set(commit.revision, [last.get(commit.key), commit]);
    if (commit.operation === "delete") last.delete(commit.key);
    else if (commit.object !== undefined) last.set(commit.key, commit.object);
  }
  return (revision) => {
    const [old, commit] = before.get(revision) ?? [];
    return old === undefined || commit?.object === undefined
      ? []
      : diffObjects(old, commit.object).filter(({ path: field }) => !BOOKKEEPING.test(field));
  };
}
