import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { Fact } from "pintle";
import type { FlightRecorder } from "pintle/internal/recorder";
import type { JsonObject } from "pintle/kinds";
import type { StoredSecrets } from "../recorder/index.ts";
import type { StoreSnapshot } from "../store/index.ts";
import type { TraceAbout, TraceCommit } from "./trace-file.ts";
import type { TraceContent } from "./write-trace.ts";

export interface StoreTraceOptions {
  readonly recorder: FlightRecorder;
  readonly secrets: StoredSecrets;
  /** The state at `from`, and the present one with the history in between. */
  readonly start: StoreSnapshot;
  readonly end: StoreSnapshot;
  readonly time: number;
  readonly timeOf: (revision: number) => number | undefined;
  readonly about: TraceAbout;
  /** Facts before this sequence are left out, except objects that later passes read. */
  readonly since: number;
}

const CRDS = "/registry/apiextensions.k8s.io/customresourcedefinitions/";

/** Collects the trace of an embedded cluster: base, commits, facts, schemas and sources, all without secrets. */
export function collectStoreTrace({ recorder, secrets, start, end, time, timeOf, about, since }: StoreTraceOptions): TraceContent {
  const { redactor } = recorder;
  const redact = (key: string, object: JsonObject) => redactor.redactObject(object, secrets.fieldsOf(key));
  const commits = end.history
    .filter(({ revision }) => revision > start.revision)
    .map(({ type, key, revision, value }): TraceCommit => {
      const uid = String((value["metadata"] as JsonObject | undefined)?.["uid"] ?? "");
      const commit = { revision, time: timeOf(revision) ?? 0, operation: type, key, uid };
      return type === "delete" ? commit : { ...commit, object: redact(key, value) };
    });
  const facts = selectFacts(recorder.facts(), since);
  const { output = "", ...rest } = about;
  const { test } = rest;
  const text = (value: string | undefined) => (value === undefined ? undefined : redactor.redactText(value));
  return {
    time,
    revision: start.revision,
    dropped: recorder.dropped,
    about:
      test === undefined
        ? rest
        : {
            ...rest,
            test: {
              ...test,
              name: redactor.redactText(test.name),
              error: text(test.error),
              expected: text(test.expected),
              actual: text(test.actual),
            },
          },
    facts,
    base: start.keys.map((key) => {
      const { revision, value } = start.entries.get(key)!;
      return { key, revision, object: redact(key, value) };
    }),
    commits,
    schemas: redactor.redactValue(collectSchemas(end)) as JsonObject,
    sources: Object.fromEntries(Object.entries(readSources(facts)).map(([file, content]) => [file, redactor.redactText(content)])),
    output: redactor.redactText(output),
  };
}

/** The facts since a sequence, with the older versions of objects that their passes read. */
export function selectFacts(facts: readonly Fact[], since: number): readonly Fact[] {
  const read = new Set<string>();
  for (const fact of facts) {
    if (fact.type !== "plan" || fact.sequence <= since) continue;
    const objects = [fact.object, ...fact.reads, ...(fact.calls ?? []).flatMap((call) => call.objects ?? [])];
    for (const { uid, resourceVersion } of objects) read.add(`${uid} ${resourceVersion}`);
  }
  const isRead = (object: JsonObject) => {
    const { uid, resourceVersion } = object["metadata"] as JsonObject;
    return read.has(`${uid} ${resourceVersion}`);
  };
  return facts.filter((fact) => fact.sequence > since || fact.type === "watch" || (fact.type === "object" && isRead(fact.object)));
}

/** The schemas of custom resources. */
function collectSchemas({ entries, keys }: StoreSnapshot): JsonObject {
  const schemas: Record<string, JsonObject> = {};
  for (const key of keys) {
    if (!key.startsWith(CRDS)) continue;
    const { group, names, versions } = entries.get(key)!.value["spec"] as unknown as {
      readonly group: string;
      readonly names: { readonly kind: string };
      readonly versions: readonly { readonly name: string; readonly schema?: { readonly openAPIV3Schema?: JsonObject } }[];
    };
    for (const { name, schema } of versions)
      if (schema?.openAPIV3Schema !== undefined) schemas[`${group}/${name}/${names.kind}`] = schema.openAPIV3Schema;
  }
  return schemas;
}

/** The absolute path in a frame such as "reconcile (/src/a.ts:3:9)"; empty if it has none. */
function findFile(frame: string): string {
  const place =
    frame
      .slice(frame.lastIndexOf("(") + 1)
      .replace(/\)$/, "")
      .split(" ")
      .at(-1) ?? "";
  const parts = place.split(":");
  const file = parts.slice(0, -2).join(":");
  return file.startsWith("file://") ? fileURLToPath(file) : path.isAbsolute(file) ? file : "";
}

const MAX_SOURCE_BYTES = 200_000;
const MAX_SOURCES = 20;

/** The source files of this project that stacks name. */
function readSources(facts: readonly Fact[]): Readonly<Record<string, string>> {
  const sources: Record<string, string> = {};
  const root = process.cwd();
  for (const fact of facts) {
    for (const frame of (fact.type === "run" ? fact.frames : undefined) ?? []) {
      const file = findFile(frame);
      const relative = path.relative(root, file);
      if (file === "" || relative.startsWith("..") || relative.includes("node_modules") || relative in sources) continue;
      if (Object.keys(sources).length >= MAX_SOURCES || !existsSync(file)) continue;
      const content = readFileSync(file, "utf8");
      if (content.length <= MAX_SOURCE_BYTES) sources[relative.replaceAll(path.sep, "/")] = content;
    }
  }
  return sources;
}
