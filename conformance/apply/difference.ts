import { isObject, type Json, type JsonObject, type Shape, UNTYPED } from "pintle/kinds";
import { canonical, covers, equal } from "pintle/merge";
import { ApiError } from "../../packages/cluster/src/status/index.ts";
import { patched, prepared } from "./ours.ts";
import type { Answer } from "./server.ts";
import type { Step, Subject } from "./step.ts";
import { without } from "./without.ts";

const SERVER_SET = ["uid", "resourceVersion", "creationTimestamp", "generation", "managedFields"].map((name) => ["metadata", name]);

/** Why our answer is not the real server's; undefined when it is. */
export function difference(
  subject: Subject,
  step: Step,
  real: Answer,
  ours: JsonObject | ApiError,
  live: JsonObject | undefined,
): string | undefined {
  if (real.code >= 300) return refusal(real, ours);
  if (ours instanceof ApiError) return `refused with ${ours.code} ${ours.message}`;
  const theirs = real.body;
  const left = (theirs["metadata"] as JsonObject)["managedFields"] as Json;
  const right = (ours["metadata"] as JsonObject)["managedFields"] as Json;
  // Custom resources are written with their keys sorted, fieldsV1 too; for built-in kinds its own order is kept.
  const written = (entries: Json) =>
    subject.exact ? canonical(entries) : JSON.stringify(entries, (key, value) => (key === "fieldsV1" ? JSON.stringify(value) : value));
  if (written(left ?? null) !== written(right ?? null)) return `managedFields\n  real ${text(left)}\n  ours ${text(right)}`;
  const expected = without(theirs, SERVER_SET);
  const found = without(ours, SERVER_SET);
  if (subject.exact) return equal(blurred(expected), blurred(subject.stored(found))) ? undefined : unlike(expected, found);
  const shape = subject.shape(step.apiVersion);
  const asked = without(step.verb === "apply" ? found : (patched(subject, step, live) as JsonObject), [...SERVER_SET, ["status"]]);
  const sent = live === undefined ? asked : without(prepared(asked, live, subject.resets(step.subresource)), [...SERVER_SET, ["status"]]);
  const wanted = subject.stored(sent);
  const where = departure(wanted, expected, shape);
  return where === undefined ? undefined : `${where}: ${unlike(expected, wanted)}`;
}

function unlike(real: JsonObject, ours: JsonObject): string {
  return `object\n  real ${text(real)}\n  ours ${text(ours)}`;
}

/** Where `stored` is not what a server makes of `sent`: it may only add defaults, no items and no keys of maps. */
function departure(sent: Json, stored: Json | undefined, shape: Shape, path = ""): string | undefined {
  if (Array.isArray(sent)) {
    if (sent.length === 0 && stored === undefined) return undefined;
    if (!Array.isArray(stored) || stored.length !== sent.length) return path;
    return first(sent.map((item, i) => departure(item as Json, stored[i] as Json, shape.items ?? UNTYPED, `${path}[${i}]`)));
  }
  if (!isObject(sent)) return !sent || covers(sent, stored, shape) ? undefined : path;
  if (stored !== undefined && !isObject(stored)) return path;
  const isMap = shape.values !== undefined && shape.fields === undefined;
  if (isMap && Object.keys(sent).length !== Object.keys(stored ?? {}).length) return path;
  return first(
    Object.entries(sent).map(([name, field]) =>
      departure(field!, stored?.[name], shape.fields?.[name] ?? shape.values ?? UNTYPED, `${path}.${name}`),
    ),
  );
}

const first = (paths: readonly (string | undefined)[]) => paths.find((path) => path !== undefined);

function refusal(real: Answer, ours: JsonObject | ApiError): string | undefined {
  const { message, details } = real.body as unknown as { message: string; details?: JsonObject };
  const generic = message === "the server rejected our request due to an error in our request";
  // Everything else with 422 is what validation finds, and that is not compared here.
  if (real.code === 422 && !generic) return undefined;
  if (!(ours instanceof ApiError)) return `not refused; real: ${real.code} ${message}`;
  const { code, reason, details: found } = ours.status;
  // Of several lists that it cannot put in order a real server names any.
  const isDisorder = (text: string) => text.startsWith("The order in patch list") || text.startsWith("no elements in any");
  if (isDisorder(message) && isDisorder(ours.message)) return undefined;
  if (code !== real.code || ours.message !== message || (reason ?? "") !== (real.body["reason"] ?? "")) {
    return `refused\n  real ${real.code} ${message}\n  ours ${code} ${ours.message}`;
  }
  const causes = (list: unknown) => JSON.stringify(((list ?? []) as JsonObject[]).map((cause) => JSON.stringify(cause)).sort());
  return causes(details?.["causes"]) === causes(found?.causes) ? undefined : `causes\n  real ${text(details)}\n  ours ${text(found)}`;
}

/** Whether an object inside has empty metadata or none is decided elsewhere. */
function blurred(object: JsonObject): JsonObject {
  return JSON.parse(JSON.stringify(object).replaceAll('"metadata":{},', "").replaceAll(',"metadata":{}', "")) as JsonObject;
}

function text(value: unknown): string {
  return JSON.stringify(value);
}
