import type { JsonObject } from "pintle/kinds";
import { listPublishedGroupVersions } from "../../src/builtin/published/index.ts";
import { normalizeResponse } from "./normalize-response.ts";

/** A case: one request per step. Steps after a `create` refer to the created object. */
export interface BuiltinCase {
  readonly case: string;
  readonly do: readonly CaseStep[];
}
export type CaseStep =
  | { readonly create: JsonObject; readonly strict?: boolean }
  /** A PUT of the last answer with this merged into it. */
  | { readonly update: JsonObject; readonly at?: string }
  | { readonly merge: JsonObject; readonly at?: string }
  | { readonly strategic: JsonObject; readonly at?: string }
  /** A merge patch of status through /status. */
  | { readonly status: JsonObject }
  | { readonly post: JsonObject; readonly at: string }
  | { readonly get: string }
  /** Any path; {ns} stands for the namespace of the case. */
  | { readonly read: string; readonly table?: true }
  /** A merge patch of something else. */
  | { readonly other: string; readonly merge: JsonObject }
  /** Until a server that looks into caches has seen what was stored. */
  | { readonly settle: true }
  | { readonly table: true }
  | { readonly delete: JsonObject };

export interface ServerResponse {
  readonly code: number;
  readonly body: JsonObject;
  readonly warnings: readonly string[];
}
export type SendRequest = (request: {
  method: string;
  path: string;
  body?: JsonObject | undefined;
  type?: string | undefined;
  accept?: string | undefined;
}) => Promise<ServerResponse>;

/** The normalized responses to the steps of a case. */
export type CaseResponses = readonly JsonObject[];

const TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io";

/** Runs a case in its own namespace. */
export async function runCase(send: SendRequest, { case: name, do: steps }: BuiltinCase): Promise<CaseResponses> {
  const namespace = name.replace(/[^a-z0-9]+/gi, "-").toLowerCase();
  await send({ method: "POST", path: "/api/v1/namespaces", body: { metadata: { name: namespace } } });
  const responses: JsonObject[] = [];
  const createdPaths: string[] = [];
  let last: JsonObject = {};
  for (const step of steps) {
    if ("settle" in step) {
      for (let i = 0; i < 30; i++) await send({ method: "GET", path: "/api/v1/namespaces/default/configmaps" });
      continue;
    }
    // Without an object, steps that refer to it are skipped.
    if (!("create" in step || "read" in step) && last["kind"] === undefined) continue;
    const response = await send(buildRequest(step, last, namespace));
    responses.push(normalizeResponse(response));
    const { body, code } = response;
    if (code >= 300 || ("create" in step ? false : body["kind"] !== last["kind"])) continue;
    last = body;
    if ("create" in step) createdPaths.push(getResourcePaths(body, namespace).object);
  }
  for (const path of createdPaths.reverse()) {
    await send({ method: "DELETE", path, body: { gracePeriodSeconds: 0, propagationPolicy: "Background" } });
    const [, , , resource, name, ...more] = path.split("/");
    // No namespace controller is running to finalize the namespace.
    const empty = { kind: "Namespace", apiVersion: "v1", metadata: { name } };
    if (resource === "namespaces" && more.length === 0) await send({ method: "PUT", path: `${path}/finalize`, body: empty });
  }
  return responses;
}

function buildRequest(step: Exclude<CaseStep, { readonly settle: true }>, last: JsonObject, namespace: string): Parameters<SendRequest>[0] {
  if ("create" in step) {
    const query = step.strict ? "?fieldValidation=Strict" : "";
    return { method: "POST", path: getResourcePaths(step.create, namespace).collection + query, body: step.create };
  }
  const { object, collection } = getResourcePaths(last, namespace);
  if ("other" in step) {
    const path = step.other.replaceAll("{ns}", namespace);
    return { method: "PATCH", path, body: step.merge, type: "application/merge-patch+json" };
  }
  const path = "at" in step && step.at !== undefined ? `${object}/${step.at}` : object;
  if ("update" in step) return { method: "PUT", path, body: applyMergePatch(last, step.update) };
  if ("merge" in step) return { method: "PATCH", path, body: step.merge, type: "application/merge-patch+json" };
  if ("strategic" in step) return { method: "PATCH", path, body: step.strategic, type: "application/strategic-merge-patch+json" };
  if ("status" in step)
    return { method: "PATCH", path: `${object}/status`, body: { status: step.status }, type: "application/merge-patch+json" };
  if ("post" in step) return { method: "POST", path, body: step.post };
  if ("read" in step)
    return { method: "GET", path: step.read.replaceAll("{ns}", namespace), accept: step.table === true ? TABLE : undefined };
  if ("get" in step) return { method: "GET", path: step.get === "" ? object : `${object}/${step.get}` };
  if ("table" in step)
    return { method: "GET", path: `${collection}?fieldSelector=metadata.name%3D${metadataOf(last)["name"]}`, accept: TABLE };
  return { method: "DELETE", path, body: step.delete };
}

/** Applies a merge patch: null removes a field. */
function applyMergePatch(target: unknown, patch: JsonObject): JsonObject {
  const result: Record<string, unknown> = { ...(target as JsonObject) };
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else if (typeof value === "object" && !Array.isArray(value)) result[key] = applyMergePatch(result[key] ?? {}, value as JsonObject);
    else result[key] = value;
  }
  return result as JsonObject;
}

const metadataOf = (object: JsonObject) => (object["metadata"] ?? {}) as JsonObject;

export function getResourcePaths(object: JsonObject, namespace: string): { readonly collection: string; readonly object: string } {
  const { apiVersion, kind } = object as { readonly apiVersion: string; readonly kind: string };
  const [version, group = ""] = apiVersion.split("/").reverse() as [string, string?];
  const found = listPublishedGroupVersions()
    .find((each) => each.group === group && each.version === version)
    ?.resources.find((each) => each.kind === kind);
  if (found === undefined) throw new Error(`no resource is known for ${kind} in ${apiVersion}`);
  const root = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
  const collection = found.namespaced ? `${root}/namespaces/${namespace}/${found.name}` : `${root}/${found.name}`;
  return { collection, object: `${collection}/${metadataOf(object)["name"]}` };
}
