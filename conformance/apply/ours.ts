import { isObject, type Json, type JsonObject } from "pintle/kinds";
import { fieldPath, fieldSet } from "pintle/merge";
import { applyConfig, jsonPatch, mergePatch, strategicMergePatch, trackUpdate } from "../../packages/cluster/src/apply/index.ts";
import { keepTimes } from "./keep-times.ts";
import type { Step, Subject } from "./step.ts";
import { without } from "./without.ts";

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
    resetFields: fieldSet(...subject.resets(subresource).map((path) => fieldPath(...path))),
    convert: subject.convert,
  };
  const live = facts.live && { ...facts.live, apiVersion };
  const request = { ...schema, live, manager, subresource, now: facts.now };
  const { kind } = subject;
  const written =
    step.verb === "apply"
      ? applyConfig({ ...request, kind, config: step.body as JsonObject, force: step.force, defaults: subject.defaults })
      : trackUpdate({ ...request, next: next(subject, step, facts) });
  if (live === undefined) return created(written);
  const whole = prepared(written, live, subject.resets(subresource));
  // What is applied to a custom resource is brought into the form it is kept in only after it was asked whether it changes anything.
  const isChange = subject.exact && keepTimes(live, whole) !== live;
  return isChange ? subject.stored(whole) : keepTimes(live, subject.stored(whole));
}

/** What is to be stored, before anybody owns it. */
function next(subject: Subject, step: Step, { live, stored }: Facts): JsonObject {
  const sent = patched(subject, step, live) as JsonObject;
  const whole = subject.stored(subject.defaults(sent));
  if (subject.exact) return whole;
  if (stored === undefined) return whole;
  const { managedFields: _, ...metadata } = stored["metadata"] as JsonObject;
  const { managedFields } = sent["metadata"] as JsonObject;
  const decoded: JsonObject = {
    ...stored,
    ...("status" in whole ? { status: whole["status"] } : {}),
    metadata: { ...metadata, ...(managedFields === undefined ? {} : { managedFields }) },
  };
  const unsaid = subject.late.filter(
    (path) => path.reduce<Json | undefined>((part, name) => (isObject(part) ? part[name] : undefined), sent) === undefined,
  );
  return without(decoded, unsaid);
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

/** A create takes no status. */
function created({ status: _, ...rest }: JsonObject): JsonObject {
  return rest;
}

/** What an endpoint does not change comes from what was stored; owners are never part of that. */
export function prepared(object: JsonObject, live: JsonObject, resets: readonly (readonly string[])[]): JsonObject {
  const { managedFields: _, ...metadata } = (live["metadata"] ?? {}) as JsonObject;
  const before = { ...live, metadata };
  const kept = resets.reduce<JsonObject>((left, path) => restored(left, before, path), object);
  const { managedFields } = object["metadata"] as JsonObject;
  return managedFields === undefined ? kept : { ...kept, metadata: { ...(kept["metadata"] as JsonObject), managedFields } };
}

function restored(object: JsonObject, live: JsonObject, [name = "", ...rest]: readonly string[]): JsonObject {
  const { [name]: mine, ...others } = object;
  const theirs = live[name];
  if (rest.length > 0 && isObject(mine) && isObject(theirs)) return { ...others, [name]: restored(mine, theirs, rest) };
  return theirs === undefined ? others : { ...others, [name]: theirs };
}
