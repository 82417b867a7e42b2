import { encodeGoJson } from "pintle/internal/go-format";
import { isJsonObject, type Json, type JsonObject } from "pintle/internal/json";
import { isJsonEqual } from "pintle/internal/merge";
import { compileLabelSelector } from "pintle/internal/selectors";
import type { ProbeAssertion, ProgressionProbe } from "../api/types.ts";
import { type LiveObject, splitApiVersion } from "./objects.ts";

/** The result of a probe for an object. */
export interface ProbeResult {
  readonly status: "True" | "False" | "Unknown";
  readonly messages: readonly string[];
}

/** Evaluates the probes of a revision on an object. Objects that no probe selects are ready. */
export function evaluateProbes(probes: readonly ProgressionProbe[], object: LiveObject): ProbeResult {
  return combine(probes.map((probe) => evaluateProbe(probe, object)));
}

function evaluateProbe({ selector, assertions }: ProgressionProbe, object: LiveObject): ProbeResult {
  const observed = readField(object, ["status", "observedGeneration"]);
  if (typeof observed === "number" && observed !== (object.metadata.generation ?? 0)) {
    return { status: "Unknown", messages: [".status outdated"] };
  }
  if (!isSelected(selector, object)) return { status: "True", messages: [] };
  return combine(assertions.map((assertion) => evaluateAssertion(assertion, object)));
}

function isSelected({ type, groupKind, label }: ProgressionProbe["selector"], object: LiveObject): boolean {
  if (type === "Label") return compileLabelSelector(label ?? {}).matches(object.metadata.labels ?? {});
  return groupKind?.kind === object.kind && groupKind.group === splitApiVersion(object.apiVersion).group;
}

function evaluateAssertion({ type, conditionEqual, fieldsEqual, fieldValue }: ProbeAssertion, object: LiveObject): ProbeResult {
  if (type === "ConditionEqual") return compareCondition(conditionEqual!, object);
  if (type === "FieldsEqual") return compareFields(fieldsEqual!, object);
  return compareValue(fieldValue!, object);
}

function compareCondition({ type, status }: { readonly type: string; readonly status: string }, object: LiveObject): ProbeResult {
  const conditions = readField(object, ["status", "conditions"]);
  const unknown = (message: string): ProbeResult => ({ status: "Unknown", messages: [message] });
  if (conditions === undefined) return unknown("missing .status.conditions");
  if (!Array.isArray(conditions)) return unknown("malformed .status.conditions");
  for (const condition of conditions as readonly Json[]) {
    if (!isJsonObject(condition)) return unknown("malformed .status.conditions");
    if (condition["type"] !== type) continue;
    const observed = condition["observedGeneration"];
    if (typeof observed === "number" && observed !== (object.metadata.generation ?? 0)) {
      return unknown(`.status.condition["${type}"] outdated`);
    }
    const messages = [`.status.condition["${type}"] is ${String(condition["status"])}`];
    return { status: condition["status"] === status ? "True" : "False", messages };
  }
  return unknown(`missing .status.condition["${type}"]`);
}

function compareFields({ fieldA, fieldB }: { readonly fieldA: string; readonly fieldB: string }, object: LiveObject): ProbeResult {
  const [a, b] = [readPath(object, fieldA), readPath(object, fieldB)];
  if (a === undefined) return { status: "False", messages: [`"${fieldA}" missing`] };
  if (b === undefined) return { status: "False", messages: [`"${fieldB}" missing`] };
  if (isJsonEqual(a, b)) return { status: "True", messages: [`"${fieldA}" == "${fieldB}"`] };
  return { status: "False", messages: [`"${fieldA}" != "${fieldB}" expected: ${encodeGoJson(a)} got: ${encodeGoJson(b)}`] };
}

function compareValue({ fieldPath, value }: { readonly fieldPath: string; readonly value: string }, object: LiveObject): ProbeResult {
  const found = readPath(object, fieldPath);
  if (found === undefined) return { status: "False", messages: [`missing key: "${fieldPath}"`] };
  if (found === value) return { status: "True", messages: [`value at key "${fieldPath}" == "${value}"`] };
  const message = `value at key "${fieldPath}" != "${value}"; expected: ${encodeGoJson(value)} got: ${encodeGoJson(found)}`;
  return { status: "False", messages: [message] };
}

function readPath(object: LiveObject, path: string): Json | undefined {
  return readField(object, path.split("."));
}

function readField(object: LiveObject, path: readonly string[]): Json | undefined {
  let value: Json | undefined = object as unknown as JsonObject;
  for (const name of path) {
    if (!isJsonObject(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}

/** Unknown outweighs False, and False outweighs True. Only the messages of the outcome are kept. */
function combine(results: readonly ProbeResult[]): ProbeResult {
  const status = (["Unknown", "False"] as const).find((each) => results.some((result) => result.status === each)) ?? "True";
  return { status, messages: results.filter((result) => result.status === status).flatMap(({ messages }) => messages) };
}
