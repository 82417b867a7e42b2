import { isObject, type Json, type JsonObject } from "pintle/kinds";
import { applyConfig, jsonPatch, keepTimes, mergePatch, strategicMergePatch, trackUpdate } from "../../packages/cluster/src/apply/index.ts";
import type { Step, Subject } from "./step.ts";

/** What a server decides besides apply: here it is taken from the real one. */
export interface Facts {
  readonly live: JsonObject | undefined;
  /** The object as the real server stored it, where we do not know its defaults. */
  readonly stored: JsonObject | undefined;
  readonly now: string;
}

/** The same request, answered by us; throws an ApiError. */
export function ours(subject: Subject, step: Step, facts: Facts): JsonObject {
  const { apiVersion, manager, subresource } = step;
  const schema = {
    apiVersion,
    shape: subject.shape(apiVersion),
    blank: subject.blank,
    resetFields: subject.resetFields(subresource),
    convert: subject.convert,
  };
  const live = facts.live && { ...facts.live, apiVersion };
  const request = { ...schema, live, manager, subresource, now: facts.now };
  const { kind } = subject;
  const written =
    step.verb === "apply"
      ? applyConfig({ ...request, kind, config: step.body as JsonObject, force: step.force, defaults: subject.defaults })
      : trackUpdate({ ...request, next: next(subject, step, facts) });
  return live === undefined ? created(written, subject) : keepTimes(live, subject.stored(prepared(written, live, subresource)));
}

/** What is to be stored, before anybody owns it. */
function next(subject: Subject, step: Step, { live, stored }: Facts): JsonObject {
  const whole = subject.stored(subject.defaults(patched(subject, step, live) as JsonObject));
  if (subject.exact) return whole;
  if (stored === undefined) return whole;
  const body = { ...stored, ...("status" in whole ? { status: whole["status"] } : {}) };
  const managedFields = (whole["metadata"] as JsonObject)["managedFields"];
  const decoded = { ...body, metadata: { ...(stored["metadata"] as JsonObject), managedFields } } as JsonObject;
  return live === undefined ? without(decoded, subject.late) : decoded;
}

export function patched(subject: Subject, step: Step, live: JsonObject | undefined): Json {
  const before = { ...live, apiVersion: step.apiVersion };
  switch (step.verb) {
    case "json":
      return jsonPatch(before, step.body);
    case "merge":
      return mergePatch(before, step.body);
    case "strategic":
      return strategicMergePatch(before, step.body as JsonObject, subject.shape(step.apiVersion));
    default:
      return { ...(step.body as JsonObject), apiVersion: step.apiVersion };
  }
}

/** A create takes no status where status is a resource of its own. */
function created(object: JsonObject, { hasStatus }: Subject): JsonObject {
  const { status, ...rest } = object;
  return hasStatus ? rest : object;
}

/** The main resource leaves status alone, and the other way round. */
function prepared(object: JsonObject, live: JsonObject, subresource: string): JsonObject {
  const pick = (from: JsonObject, field: string): JsonObject => (from[field] === undefined ? {} : { [field]: from[field] });
  const { status: _, ...rest } = subresource === "" ? object : live;
  if (subresource === "") return { ...rest, ...pick(live, "status") };
  const { managedFields: __, ...kept } = live["metadata"] as JsonObject;
  const metadata = { ...kept, ...pick(object["metadata"] as JsonObject, "managedFields") };
  return { ...rest, metadata, ...pick(object, "status") };
}

/** Without the fields at these paths, which are lists of names. */
export function without(object: JsonObject, paths: readonly (readonly string[])[]): JsonObject {
  return paths.reduce<JsonObject>((left, path) => cut(left, path), object);
}

function cut(object: JsonObject, [name = "", ...rest]: readonly string[]): JsonObject {
  const inner = object[name];
  if (inner === undefined) return object;
  if (rest.length > 0) return isObject(inner) ? { ...object, [name]: cut(inner, rest) } : object;
  const { [name]: _, ...others } = object;
  return others;
}
