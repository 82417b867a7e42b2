import type { Trace } from "@pintle/cluster";
import { stringifyJson } from "pintle/internal/json";
import { diffObjects } from "pintle/internal/merge";
import type { Json, JsonObject } from "pintle/kinds";
import { type Command, OUTPUT_DESCRIPTION, OUTPUT_OPTION, outputFormatter } from "../../command/index.ts";
import { openTrace, toPrintable } from "./open-trace.ts";

export const traceDiff: Command = {
  name: "trace diff",
  summary: "Compare two trace files of the same test: final objects, number of writes, and failed runs.",
  usage: "<file> <file> [--output json|yaml]",
  options: { ...OUTPUT_OPTION },
  optionDescriptions: { ...OUTPUT_DESCRIPTION },
  examples: ["pintle trace diff passed.pintle-trace failed.pintle-trace"],
  maxPositionals: 2,
  async run(args, io) {
    const output = outputFormatter(args);
    const [old, now] = [await openTrace(args, io, "trace diff a.pintle-trace"), await openTrace(args, io, "trace diff a.pintle-trace", 1)];
    const differences = compareTraces(old, now);
    if (output !== undefined) io.out(output(differences));
    else io.out(differences.length === 0 ? "no differences\n" : `${toPrintable(differences.map(formatDifference).join("\n"))}\n`);
    // As of diff.
    return differences.length === 0 ? 0 : 1;
  },
};

interface Difference {
  /** The object, or the controller and key. */
  readonly subject: string;
  readonly what: string;
  readonly old?: Json | undefined;
  readonly new?: Json | undefined;
}

/** Fields that differ between any two runs. */
const INCIDENTAL =
  /^\.metadata\.(uid|resourceVersion|creationTimestamp|generation|managedFields|ownerReferences.*uid)|[tT]ime(stamp)?$|^\.status\.(podIP|podIPs|hostIP|startTime|containerStatuses)/;

function compareTraces(old: Trace, now: Trace): readonly Difference[] {
  const [before, after] = [summarize(old), summarize(now)];
  const differences: Difference[] = [];
  for (const name of [...new Set([...before.objects.keys(), ...after.objects.keys()])].sort()) {
    const [a, b] = [before.objects.get(name), after.objects.get(name)];
    if (a?.object === undefined && b?.object === undefined) continue;
    if (a?.object === undefined) differences.push({ subject: name, what: "exists only in the second" });
    else if (b?.object === undefined) differences.push({ subject: name, what: "exists only in the first" });
    else
      for (const change of diffObjects(a.object, b.object))
        if (!INCIDENTAL.test(change.path) && !(isHidden(change.old) && isHidden(change.new)))
          differences.push({ subject: name, what: change.path, old: change.old, new: change.new });
    if (a !== undefined && b !== undefined && a.commits !== b.commits)
      differences.push({ subject: name, what: "commits", old: a.commits, new: b.commits });
  }
  for (const name of [...new Set([...before.runs.keys(), ...after.runs.keys()])].sort()) {
    const [a = NO_RUNS, b = NO_RUNS] = [before.runs.get(name), after.runs.get(name)];
    if (a.count !== b.count) differences.push({ subject: name, what: "runs", old: a.count, new: b.count });
    if ([...a.errors].join() !== [...b.errors].join())
      differences.push({ subject: name, what: "errors", old: [...a.errors], new: [...b.errors] });
  }
  return differences;
}

/** Hashes of secrets have a key of their own in each recording: they say nothing about each other. */
const isHidden = (value: Json | undefined) => typeof value === "string" && value.includes("(redacted ");

interface RunSummary {
  count: number;
  readonly errors: Set<string>;
}
const NO_RUNS: RunSummary = { count: 0, errors: new Set() };

function summarize({ commits, facts }: Trace) {
  const names = createNames(commits.map(({ key }) => key));
  const last = new Map<string, { readonly object: JsonObject | undefined; readonly commits: number }>();
  for (const { key, object } of commits) last.set(key, { object, commits: (last.get(key)?.commits ?? 0) + 1 });
  const objects = new Map(
    [...last].map(([key, { object, commits: count }]) => [
      names(key),
      { object: object && (JSON.parse(names(stringifyJson(object))) as JsonObject), commits: count },
    ]),
  );
  const runs = new Map<string, RunSummary>();
  for (const fact of facts) {
    if (fact.type !== "run") continue;
    const name = `${fact.controller} ${names(fact.key)}`;
    const known = runs.get(name) ?? { count: 0, errors: new Set() };
    known.count++;
    if (fact.error !== undefined) known.errors.add(names(fact.error));
    runs.set(name, known);
  }
  return { objects, runs };
}

/** Generated names get the same name in every run of a test: the namespaces of tests, and what ReplicaSets and Jobs append. */
function createNames(keys: readonly string[]): (text: string) => string {
  const generated = new Map<string, string>();
  for (const key of keys) {
    const [, , resource, name = ""] = key.split("/");
    const [, stem] = /^(.+-)[bcdfghjklmnpqrstvwxz2456789]{5}$/.exec(key.split("/").at(-1) ?? "") ?? [];
    const last = key.split("/").at(-1) as string;
    if (resource === "namespaces" && stem !== undefined) generated.set(name, `${stem}1`);
    else if (stem !== undefined && !generated.has(last)) {
      const count = [...generated.values()].filter((each) => each.startsWith(stem)).length;
      generated.set(last, `${stem}${count + 1}`);
    }
  }
  const longest = [...generated].sort(([a], [b]) => b.length - a.length);
  return (text) => longest.reduce((replaced, [from, to]) => replaced.replaceAll(from, to), text);
}

function formatDifference({ subject, what, old, new: now }: Difference): string {
  const format = (value: Json | undefined) => (value === undefined ? "unset" : stringifyJson(value));
  const name = subject.replace(/^\/registry\//, "");
  return old === undefined && now === undefined ? `${name}: ${what}` : `${name}: ${what} ${format(old)} -> ${format(now)}`;
}
