import { isJsonObject } from "pintle/internal/json";
import { buildFieldSet, fieldSetPath } from "pintle/internal/merge";
import type { Json, JsonObject } from "pintle/kinds";
import {
  applyConfiguration,
  applyJsonPatch,
  applyMergePatch,
  applyStrategicMergePatch,
  updateManagedFields,
} from "../../packages/cluster/src/apply/index.ts";
import { keepTimestamps } from "./keep-timestamps.ts";
import { omitPaths } from "./omit-paths.ts";
import type { ComparedKind, WriteRequest } from "./step.ts";

/** What the server decides apart from apply; taken from the real server. */
export interface ServerState {
  readonly live: JsonObject | undefined;
  /** The object as the real server stored it, used for kinds whose defaults are not implemented here. */
  readonly stored: JsonObject | undefined;
  readonly now: string;
}

/** Applies a request with the embedded server's code. Throws `ApiError`. */
export function applyRequest(subject: ComparedKind, step: WriteRequest, state: ServerState): JsonObject {
  const { apiVersion, manager, subresource } = step;
  const schema = {
    apiVersion,
    shape: subject.shape(apiVersion),
    blank: subject.zeroValue,
    resetFields: buildFieldSet(...subject.resetPaths(subresource).map((path) => fieldSetPath(...path))),
    convert: subject.convert,
  };
  const live = state.live && { ...state.live, apiVersion };
  const request = { ...schema, live, manager, subresource, now: state.now };
  const { kind } = subject;
  const written =
    step.verb === "apply"
      ? applyConfiguration({ ...request, kind, config: step.body as JsonObject, force: step.force, defaults: subject.defaults })
      : updateManagedFields({ ...request, next: buildNextObject(subject, step, state) });
  if (live === undefined) return withoutStatus(written);
  const complete = restoreResetFields(written, live, subject.resetPaths(subresource));
  // For custom resources kube-apiserver detects no-op writes before it converts the object to its stored form.
  const isChange = subject.knowsDefaults && keepTimestamps(live, complete) !== live;
  return isChange ? subject.toStored(complete) : keepTimestamps(live, subject.toStored(complete));
}

/** The object to store, before managedFields are updated. */
function buildNextObject(subject: ComparedKind, step: WriteRequest, { live, stored }: ServerState): JsonObject {
  const sent = applyPatch(subject, step, live) as JsonObject;
  const complete = subject.toStored(subject.defaults(sent));
  if (subject.knowsDefaults) return complete;
  if (stored === undefined) return complete;
  const { managedFields: _, ...metadata } = stored["metadata"] as JsonObject;
  const { managedFields } = sent["metadata"] as JsonObject;
  const decoded: JsonObject = {
    ...stored,
    ...("status" in complete ? { status: complete["status"] } : {}),
    metadata: { ...metadata, ...(managedFields === undefined ? {} : { managedFields }) },
  };
  const unsaid = subject.setAfterOwnership.filter(
    (path) => path.reduce<Json | undefined>((part, name) => (isJsonObject(part) ? part[name] : undefined), sent) === undefined,
  );
  return omitPaths(decoded, unsaid);
}

export function applyPatch(subject: ComparedKind, step: WriteRequest, live: JsonObject | undefined): Json {
  const before = { ...live, apiVersion: step.apiVersion };
  switch (step.verb) {
    case "json":
      return applyJsonPatch(before, step.body);
    case "merge":
      return applyMergePatch(before, step.body);
    case "strategic":
      return applyStrategicMergePatch(before, step.body as JsonObject, subject.shape(step.apiVersion));
    default:
      return { ...(step.body as JsonObject), apiVersion: step.apiVersion };
  }
}

/** Removes the status, which a create ignores. */
function withoutStatus({ status: _, ...rest }: JsonObject): JsonObject {
  return rest;
}

/** Restores the fields that an endpoint does not change from the stored object, except managedFields. */
export function restoreResetFields(object: JsonObject, live: JsonObject, resets: readonly (readonly string[])[]): JsonObject {
  const { managedFields: _, ...metadata } = (live["metadata"] ?? {}) as JsonObject;
  const before = { ...live, metadata };
  const restored = resets.reduce<JsonObject>((left, path) => restoreField(left, before, path), object);
  const { managedFields } = object["metadata"] as JsonObject;
  return managedFields === undefined ? restored : { ...restored, metadata: { ...(restored["metadata"] as JsonObject), managedFields } };
}

function restoreField(object: JsonObject, live: JsonObject, [name = "", ...rest]: readonly string[]): JsonObject {
  const { [name]: mine, ...others } = object;
  const theirs = live[name];
  if (rest.length > 0 && isJsonObject(mine) && isJsonObject(theirs)) return { ...others, [name]: restoreField(mine, theirs, rest) };
  return theirs === undefined ? others : { ...others, [name]: theirs };
}
