import { isJsonObject } from "pintle/internal/json";
import { canonicalJson, isJsonEqual, isSatisfiedBy } from "pintle/internal/merge";
import { type Json, type JsonObject, type Shape, UNTYPED_SHAPE } from "pintle/kinds";
import { ApiError } from "../../packages/cluster/src/status/index.ts";
import { applyPatch, restoreResetFields } from "./embedded-apply.ts";
import { omitPaths } from "./omit-paths.ts";
import type { RealResponse } from "./server.ts";
import type { ComparedKind, WriteRequest } from "./step.ts";

const SERVER_SET = ["uid", "resourceVersion", "creationTimestamp", "generation", "managedFields"].map((name) => ["metadata", name]);

/** Describes how the embedded result differs from the real response; undefined if it does not. */
export function findDifference(
  subject: ComparedKind,
  step: WriteRequest,
  real: RealResponse,
  ours: JsonObject | ApiError,
  live: JsonObject | undefined,
): string | undefined {
  if (real.code >= 300) return compareRefusal(real, ours);
  if (ours instanceof ApiError) return `refused with ${ours.code} ${ours.message}`;
  const theirs = real.body;
  const left = (theirs["metadata"] as JsonObject)["managedFields"] as Json;
  const right = (ours["metadata"] as JsonObject)["managedFields"] as Json;
  // Custom resources are encoded with sorted keys, also in fieldsV1; built-in kinds keep the order of fieldsV1.
  const written = (entries: Json) =>
    subject.knowsDefaults
      ? canonicalJson(entries)
      : JSON.stringify(entries, (key, value) => (key === "fieldsV1" ? JSON.stringify(value) : value));
  if (written(left ?? null) !== written(right ?? null)) return `managedFields\n  real ${toJson(left)}\n  ours ${toJson(right)}`;
  const expected = omitPaths(theirs, SERVER_SET);
  const found = omitPaths(ours, SERVER_SET);
  if (subject.knowsDefaults)
    return isJsonEqual(dropEmptyMetadata(expected), dropEmptyMetadata(subject.toStored(found)))
      ? undefined
      : formatObjects(expected, found);
  const shape = subject.shape(step.apiVersion);
  const requested = omitPaths(step.verb === "apply" ? found : (applyPatch(subject, step, live) as JsonObject), [...SERVER_SET, ["status"]]);
  const sent =
    live === undefined
      ? requested
      : omitPaths(restoreResetFields(requested, live, subject.resetPaths(step.subresource)), [...SERVER_SET, ["status"]]);
  const wanted = subject.toStored(sent);
  const where = findDifferingPath(wanted, expected, shape);
  return where === undefined ? undefined : `${where}: ${formatObjects(expected, wanted)}`;
}

function formatObjects(real: JsonObject, ours: JsonObject): string {
  return `object\n  real ${toJson(real)}\n  ours ${toJson(ours)}`;
}

/** The first path where `stored` is more than `sent` with defaults: no list items and no map keys may be added. */
function findDifferingPath(sent: Json, stored: Json | undefined, shape: Shape, path = ""): string | undefined {
  if (Array.isArray(sent)) {
    if (sent.length === 0 && stored === undefined) return undefined;
    if (!Array.isArray(stored) || stored.length !== sent.length) return path;
    return firstDefined(
      sent.map((item, i) => findDifferingPath(item as Json, stored[i] as Json, shape.items ?? UNTYPED_SHAPE, `${path}[${i}]`)),
    );
  }
  if (!isJsonObject(sent)) return !sent || isSatisfiedBy(sent, stored, shape) ? undefined : path;
  if (stored !== undefined && !isJsonObject(stored)) return path;
  const isMap = shape.values !== undefined && shape.fields === undefined;
  if (isMap && Object.keys(sent).length !== Object.keys(stored ?? {}).length) return path;
  return firstDefined(
    Object.entries(sent).map(([name, field]) =>
      findDifferingPath(field!, stored?.[name], shape.fields?.[name] ?? shape.values ?? UNTYPED_SHAPE, `${path}.${name}`),
    ),
  );
}

const firstDefined = (paths: readonly (string | undefined)[]) => paths.find((path) => path !== undefined);

function compareRefusal(real: RealResponse, ours: JsonObject | ApiError): string | undefined {
  const { message, details } = real.body as unknown as { message: string; details?: JsonObject };
  const generic = message === "the server rejected our request due to an error in our request";
  // Other 422 responses come from validation, which is not compared here.
  if (real.code === 422 && !generic) return undefined;
  if (!(ours instanceof ApiError)) return `not refused; real: ${real.code} ${message}`;
  const { code, reason, details: found } = ours.status;
  // If several lists cannot be ordered, kube-apiserver names any of them.
  const isOrderError = (text: string) => text.startsWith("The order in patch list") || text.startsWith("no elements in any");
  if (isOrderError(message) && isOrderError(ours.message)) return undefined;
  if (code !== real.code || ours.message !== message || (reason ?? "") !== (real.body["reason"] ?? "")) {
    return `refused\n  real ${real.code} ${message}\n  ours ${code} ${ours.message}`;
  }
  const causes = (list: unknown) => JSON.stringify(((list ?? []) as JsonObject[]).map((cause) => JSON.stringify(cause)).sort());
  return causes(details?.["causes"]) === causes(found?.causes) ? undefined : `causes\n  real ${toJson(details)}\n  ours ${toJson(found)}`;
}

/** Removes empty metadata of embedded objects, which is not compared here. */
function dropEmptyMetadata(object: JsonObject): JsonObject {
  return JSON.parse(JSON.stringify(object).replaceAll('"metadata":{},', "").replaceAll(',"metadata":{}', "")) as JsonObject;
}

function toJson(value: unknown): string {
  return JSON.stringify(value);
}
