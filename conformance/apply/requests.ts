import { isJsonObject } from "pintle/internal/json";
import type { Json, JsonObject } from "pintle/kinds";
import { deepFreeze } from "./deep-freeze.ts";
import { withDirectives } from "./directives.ts";
import type { Random } from "./random.ts";
import type { ComparedKind, Verb, WriteRequest } from "./step.ts";

/** The managers that write one object, and the API versions they use. */
export interface HistorySetup {
  readonly name: string;
  readonly managers: readonly string[];
  readonly versions: readonly string[];
}

export function createSetup(subject: ComparedKind, chance: Random, name: string): HistorySetup {
  // Sometimes many managers, so that the oldest managedFields entries are merged.
  const managers = chance.chance(0.15) ? Array.from({ length: 16 }, (_, i) => `m${i}`) : ["anna", "ben", "kubectl", "zoe"];
  return { name, managers, versions: chance.chance(0.7) ? subject.apiVersions.slice(0, 1) : subject.apiVersions };
}

/** The next random request of one of the managers. */
export function nextStep(
  subject: ComparedKind,
  chance: Random,
  { name, managers, versions }: HistorySetup,
  live: JsonObject | undefined,
): WriteRequest {
  const verb: Verb = live === undefined ? (chance.chance(0.5) ? "create" : "apply") : chance.pick(subject.verbs);
  const apiVersion = chance.pick(versions);
  const subresource = live !== undefined && chance.chance(0.2) ? "status" : "";
  return deepFreeze({ verb, apiVersion, manager: chance.pick(managers), force: chance.chance(0.5), subresource, body: body() });

  function body(): Json {
    if (live === undefined) return withLastApplied({ ...subject.object(chance, name), apiVersion }, chance);
    const config = withoutStatus({ ...subject.config(chance, name, subresource), apiVersion });
    switch (verb) {
      case "apply":
        return versions.length === 1 ? addMistakes(config, chance) : config;
      case "update":
        return withLastApplied({ ...editObject(live, config, chance), apiVersion }, chance);
      case "json":
        return buildJsonPatch(live, config, chance);
      case "strategic":
        return withDirectives(buildPartialPatch(live, config, chance), subject.shape(apiVersion), chance);
      default:
        return buildPartialPatch(live, config, chance);
    }
  }

  /** With several versions, status sent to the main resource changes managedFields of the others on kube-apiserver only. */
  function withoutStatus(config: JsonObject): JsonObject {
    if (versions.length === 1 || subresource === "status") return config;
    const { status: _, ...rest } = config;
    return rest;
  }
}

/** Adds the last-applied annotation of client-side apply, whose field ownership kubectl may take over. */
function withLastApplied(object: JsonObject, chance: Random): JsonObject {
  if (!chance.chance(0.25)) return object;
  const { apiVersion, kind, spec = {} } = object;
  const { name, namespace, annotations, ...metadata } = object["metadata"] as JsonObject;
  const applied = JSON.stringify({ apiVersion, kind, metadata: { name, namespace }, spec });
  const remembered = { ...(annotations as JsonObject), "kubectl.kubernetes.io/last-applied-configuration": `${applied}\n` };
  return { ...object, metadata: { ...metadata, name, namespace, annotations: remembered } };
}

/** Sometimes adds an invalid field to an applied configuration. */
function addMistakes(config: JsonObject, chance: Random): JsonObject {
  const spec = isJsonObject(config["spec"]) ? config["spec"] : undefined;
  if (spec === undefined || !chance.chance(0.05)) return config;
  if (chance.chance(0.2)) return { ...config, metadata: { ...(config["metadata"] as JsonObject), managedFields: [] } };
  const wrong: readonly JsonObject[] = [
    { unheard: "of" },
    { replicas: "many" },
    { count: "many" },
    { title: 5 },
    { names: ["a", "a"] },
    { ports: "none" },
  ];
  return { ...config, spec: { ...spec, ...chance.pick(wrong) } };
}

/** The stored object with some fields taken from another one and some removed, as a read-modify-write client does. */
function editObject(live: JsonObject, other: JsonObject, chance: Random): JsonObject {
  const out: Record<string, Json | undefined> = { ...live };
  for (const part of ["spec", "status", "metadata"]) {
    const from = isJsonObject(other[part]) ? other[part] : {};
    const before = isJsonObject(live[part]) ? live[part] : {};
    if (out[part] === undefined && Object.keys(from).length === 0) continue;
    const kept = Object.entries(before).filter(() => part === "metadata" || !(part in other) || !chance.chance(0.1));
    const taken = Object.entries(from).filter(([key]) => !["name", "namespace"].includes(key) && chance.chance(0.7));
    out[part] = { ...Object.fromEntries(kept), ...Object.fromEntries(taken) };
  }
  if (chance.chance(0.05)) out["metadata"] = { ...(out["metadata"] as JsonObject), managedFields: chance.pick<Json>([[], [{}]]) };
  return out;
}

function buildJsonPatch(live: JsonObject, other: JsonObject, chance: Random): Json {
  const part = isJsonObject(other["spec"]) ? "spec" : "status";
  const before = Object.keys(isJsonObject(live[part]) ? live[part] : {});
  const after = Object.entries(isJsonObject(other[part]) ? other[part] : {});
  const removed = chance.some(before, 2);
  const kept = before.find((key) => !removed.includes(key));
  return [
    ...(live[part] === undefined ? [{ op: "add", path: `/${part}`, value: {} }] : []),
    ...removed.map((key) => ({ op: "remove", path: `/${part}/${key}` })),
    ...chance.some(after, 2).map(([key, value]) => ({ op: chance.pick(["add", "replace"]), path: `/${part}/${key}`, value: value! })),
    ...(chance.chance(0.1) ? [{ op: "test", path: "/kind", value: "Nothing" }] : []),
    ...(chance.chance(0.1) && kept !== undefined ? [{ op: "copy", from: `/${part}/${kept}`, path: `/${part}/${kept}` }] : []),
    ...(chance.chance(0.1) ? [{ op: "add", path: "/metadata/labels", value: { x: "y" } }] : []),
  ];
}

/** Some fields to set, and some to remove. */
function buildPartialPatch(live: JsonObject, other: JsonObject, chance: Random): JsonObject {
  const { name: _, namespace: __, ...metadata } = (other["metadata"] ?? {}) as JsonObject;
  const pickRemovals = (part: string) => chance.some(Object.keys(isJsonObject(live[part]) ? live[part] : {}), 1).map((key) => [key, null]);
  const out: Record<string, Json> = { metadata };
  for (const part of ["spec", "status"]) {
    if (other[part] !== undefined) out[part] = { ...Object.fromEntries(pickRemovals(part)), ...(other[part] as JsonObject) };
  }
  return out;
}
