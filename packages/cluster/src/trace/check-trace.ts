import { isJsonObject, type Json, parseJson, stringifyJson } from "pintle/internal/json";
import {
  builtInSensitiveFields,
  findCredentials,
  findSensitiveFields,
  isRedacted,
  runIdOfAuditId,
  type SensitiveFields,
  visitSensitiveValues,
} from "pintle/internal/recorder";
import type { JsonObject } from "pintle/kinds";
import type { Trace } from "./trace-file.ts";

/** Something that a trace file must not contain, or that does not fit together. */
export interface TraceProblem {
  /** "secret": a value that must not be in a file. "integrity": facts that do not belong together. */
  readonly type: "secret" | "integrity";
  /** Where it is, without the value. */
  readonly message: string;
}

const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";
/** Returns the problems of a trace. The file itself was verified against its checksums when it was read. */
export function checkTrace(trace: Trace): readonly TraceProblem[] {
  return [...findSecrets(trace), ...findCredentialsInTrace(trace), ...findBrokenJoins(trace)];
}

/** Values of secret fields that are no hash. */
function findSecrets({ base, commits, facts, schemas }: Trace): readonly TraceProblem[] {
  const fieldsOf = (object: JsonObject): SensitiveFields | undefined =>
    builtInSensitiveFields(String(object["kind"])) ?? findSensitiveFields(schemas[`${object["apiVersion"]}/${object["kind"]}`]);
  const problems: TraceProblem[] = [];
  const check = (object: JsonObject | undefined, where: string) => {
    const fields = object === undefined ? undefined : fieldsOf(object);
    if (object === undefined || fields === undefined) return;
    const report = (place: string) => problems.push({ type: "secret", message: `${where} has the value of a secret field${place}` });
    let [plain, plainAnnotation] = [0, 0];
    visitSensitiveValues(object, fields, (value) => void (isRedacted(value) || plain++));
    if (plain > 0) report("");
    const text = ((object["metadata"] as JsonObject | undefined)?.["annotations"] as JsonObject | undefined)?.[LAST_APPLIED];
    if (typeof text !== "string" || isRedacted(text)) return;
    visitSensitiveValues(tryParse(text), fields, (value) => void (isRedacted(value) || plainAnnotation++));
    if (plainAnnotation > 0) report(" in its last-applied annotation");
  };
  for (const { key, object } of base) check(object, `${key} in the base`);
  for (const { key, revision, object } of commits) check(object, `${key} at revision ${revision}`);
  for (const fact of facts) {
    if (fact.type === "object") check(fact.object, `the object of fact ${fact.sequence}`);
    if (fact.type === "plan") for (const step of fact.steps) check(step.body, `a step of fact ${fact.sequence}`);
  }
  return problems;
}

function tryParse(text: string): Json | undefined {
  try {
    return parseJson(Buffer.from(text)) as Json;
  } catch {
    return undefined;
  }
}

function findCredentialsInTrace({ manifest, facts, base, commits, schemas, sources, output }: Trace): readonly TraceProblem[] {
  const problems: TraceProblem[] = [];
  const check = (text: string, where: string) => {
    for (const name of new Set(findCredentials(text).map((found) => found.name)))
      problems.push({ type: "secret", message: `${where} has ${name}` });
  };
  for (const fact of facts) check(stringifyJson(fact), `fact ${fact.sequence}`);
  for (const { key, object } of base) check(stringifyJson(object), `${key} in the base`);
  for (const { key, revision, object } of commits) if (object !== undefined) check(stringifyJson(object), `${key} at revision ${revision}`);
  for (const [file, text] of Object.entries(sources)) check(text, `the source ${file}`);
  check(output, "the output");
  check(stringifyJson(schemas), "a schema");
  check(stringifyJson(manifest.about as Json), "the manifest");
  return problems;
}

/** Finds ids that refer to no fact. A recording whose oldest facts were dropped may have some. */
function findBrokenJoins({ manifest, facts, base, commits }: Trace): readonly TraceProblem[] {
  const problem = (message: string): TraceProblem => ({ type: "integrity", message });
  const problems: TraceProblem[] = [];
  const runs = new Set(facts.flatMap((fact) => (fact.type === "run" ? [fact.id] : [])));
  if (manifest.dropped === 0) {
    const missing = new Set<string>();
    for (const fact of facts) {
      const run = fact.type === "plan" || fact.type === "log" ? fact.run : fact.type === "request" ? runIdOfAuditId(fact.id) : undefined;
      // A request of a run that another recorder has.
      const isOwn = fact.type !== "request" || fact.side === "client";
      if (run !== undefined && isOwn && !runs.has(run)) missing.add(run);
    }
    for (const run of missing) problems.push(problem(`the run ${run} is named, but not recorded`));
  }
  let last = manifest.revision ?? 0;
  for (const { revision, key } of commits) {
    if (revision <= last) problems.push(problem(`the commit of ${key} at revision ${revision} is out of order`));
    last = revision;
  }
  for (const { key, revision } of base)
    if (manifest.revision !== undefined && revision > manifest.revision)
      problems.push(problem(`${key} in the base is newer than the base`));
  for (const { object, key } of base) if (!isJsonObject(object["metadata"])) problems.push(problem(`${key} in the base has no metadata`));
  return problems;
}
