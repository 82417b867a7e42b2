import type { Json, JsonObject } from "pintle/kinds";
import { canonical, covers, equal } from "pintle/merge";
import { ApiError } from "../../packages/cluster/src/status/index.ts";
import { without } from "./ours.ts";
import type { Answer } from "./server.ts";
import type { Step, Subject } from "./step.ts";

const SERVER_SET = ["uid", "resourceVersion", "creationTimestamp", "generation", "managedFields"].map((name) => ["metadata", name]);

/** Why our answer is not the real server's; undefined when it is. */
export function difference(subject: Subject, step: Step, real: Answer, ours: JsonObject | ApiError): string | undefined {
  if (real.code >= 300) return refusal(real, ours);
  if (ours instanceof ApiError) return `refused with ${ours.code} ${ours.message}`;
  const theirs = real.body;
  const left = (theirs["metadata"] as JsonObject)["managedFields"] as Json;
  const right = (ours["metadata"] as JsonObject)["managedFields"] as Json;
  // Custom resources are written with their keys sorted, fieldsV1 too; for built-in kinds its own order is kept.
  const written = (entries: Json) => (subject.exact ? canonical(entries) : JSON.stringify(entries, (key, value) => (key === "fieldsV1" ? JSON.stringify(value) : value)));
  if (written(left ?? null) !== written(right ?? null)) return `managedFields\n  real ${text(left)}\n  ours ${text(right)}`;
  const expected = without(theirs, SERVER_SET);
  const found = without(ours, SERVER_SET);
  const same = subject.exact ? equal(blurred(expected), blurred(subject.stored(found))) : covers(found, expected, subject.shape(step.apiVersion));
  return same ? undefined : `object\n  real ${text(expected)}\n  ours ${text(found)}`;
}

function refusal(real: Answer, ours: JsonObject | ApiError): string | undefined {
  const { message, details } = real.body as unknown as { message: string; details?: JsonObject };
  const generic = message === "the server rejected our request due to an error in our request";
  // Everything else with 422 is what validation finds, and that is not compared here.
  if (real.code === 422 && !generic) return undefined;
  if (!(ours instanceof ApiError)) return `not refused; real: ${real.code} ${message}`;
  const { code, reason, details: found } = ours.status;
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
