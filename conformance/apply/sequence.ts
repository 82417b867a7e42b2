import { isObject, type Json, type JsonObject } from "pintle/kinds";
import { ApiError } from "../../packages/cluster/src/status/index.ts";
import { difference } from "./difference.ts";
import { frozen } from "./frozen.ts";
import { ours } from "./ours.ts";
import { type Random, random } from "./random.ts";
import type { Answer, Server } from "./server.ts";
import type { Step, Subject, Verb } from "./step.ts";
import { withDirectives } from "./directives.ts";

export interface Outcome {
  readonly steps: number;
  /** How many requests of each verb were answered alike, by verb and code. */
  readonly counts: ReadonlyMap<string, number>;
  /** Everything needed to see the first difference again. */
  readonly difference?: { readonly seed: number; readonly step: Step; readonly live: JsonObject | undefined; readonly why: string } | undefined;
}

const CONTENT_TYPES: { readonly [verb: string]: string } = {
  apply: "application/apply-patch+yaml",
  json: "application/json-patch+json",
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
};
/** A time that no real server writes: seen in our answer, we moved a time that should have stayed. */
const NEVER = "2001-01-01T00:00:00Z";

/** A random history of one object, told to the real server and to us step by step. */
export async function sequence(subject: Subject, seed: number, real: Server): Promise<Outcome> {
  const chance = random(seed);
  const name = `s${seed}`;
  // Now and then a crowd, so that the oldest are merged.
  const managers = chance.chance(0.15) ? Array.from({ length: 16 }, (_, i) => `m${i}`) : ["anna", "ben", "kubectl", "zoe"];
  const versions = chance.chance(0.7) ? subject.apiVersions.slice(0, 1) : subject.apiVersions;
  const counts = new Map<string, number>();
  let live: JsonObject | undefined;
  const steps = 6 + chance.int(10) + (managers.length > 4 ? 12 : 0);
  for (let i = 0; i < steps; i++) {
    const step = nextStep(subject, chance, { managers, versions, name }, live);
    const since = Date.now();
    const answer = await send(subject, step, name, real);
    const result = answerOurs(subject, step, live, answer, since);
    const why = difference(subject, step, answer, result, live);
    if (why !== undefined) return { steps: i + 1, counts, difference: { seed, step, live, why } };
    const label = `${step.verb}${step.subresource && `/${step.subresource}`} ${answer.code}`;
    counts.set(label, (counts.get(label) ?? 0) + 1);
    if (answer.code < 300) live = frozen(answer.body);
  }
  return { steps, counts };
}

function answerOurs(subject: Subject, step: Step, live: JsonObject | undefined, answer: Answer, since: number): JsonObject | ApiError {
  const stored = answer.code < 300 ? frozen(answer.body) : undefined;
  try {
    return frozen(ours(subject, step, { live, stored, now: timeOf(stored, since) }));
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

/** When the real server did it, if it wrote that down: the latest time it can have written. */
function timeOf(stored: JsonObject | undefined, since: number): string {
  const metadata = stored?.["metadata"];
  const entries = (isObject(metadata) ? (metadata["managedFields"] ?? []) : []) as unknown as readonly { readonly time?: string }[];
  const latest = entries.map(({ time = NEVER }) => time).sort().at(-1) ?? NEVER;
  return Date.parse(latest) >= Math.floor(since / 1000) * 1000 ? latest : NEVER;
}

async function send(subject: Subject, { verb, apiVersion, manager, force, subresource, body }: Step, name: string, real: Server): Promise<Answer> {
  const query = `?fieldManager=${manager}${verb === "apply" ? `&force=${force}` : ""}`;
  if (verb === "create") return real.send("POST", subject.collection(apiVersion) + query, body);
  const path = subject.path(apiVersion, name, subresource) + query;
  return verb === "update" ? real.send("PUT", path, body) : real.send("PATCH", path, body, CONTENT_TYPES[verb]);
}

interface Setting {
  readonly managers: readonly string[];
  readonly versions: readonly string[];
  readonly name: string;
}

function nextStep(subject: Subject, chance: Random, { managers, versions, name }: Setting, live: JsonObject | undefined): Step {
  const verb: Verb = live === undefined ? (chance.chance(0.5) ? "create" : "apply") : chance.pick(subject.verbs);
  const apiVersion = chance.pick(versions);
  const subresource = live !== undefined && subject.hasStatus && chance.chance(0.2) ? "status" : "";
  const body = frozen({ body: bodyOf(verb) }).body;
  return { verb, apiVersion, manager: chance.pick(managers), force: chance.chance(0.5), subresource, body };

  function bodyOf(verb: Verb): Json {
    if (live === undefined) return { ...subject.object(chance, name), apiVersion };
    const config = withoutStatus({ ...subject.config(chance, name, subresource), apiVersion });
    if (verb === "apply") return versions.length === 1 ? withMistakes(config, chance) : config;
    if (verb === "update") return { ...edited(live, config, chance), apiVersion };
    if (verb === "json") return jsonPatchOf(live, config, chance);
    const patch = partial(live, config, chance);
    return verb === "strategic" ? withDirectives(patch, subject.shape(apiVersion), chance) : patch;
  }

  /** A server with several versions lets status on the main resource disturb owners in the others; we do not. */
  function withoutStatus(config: JsonObject): JsonObject {
    if (versions.length === 1 || subresource === "status") return config;
    const { status, ...rest } = config;
    return rest;
  }
}

/** Once in a while somebody applies what is not allowed. */
function withMistakes(config: JsonObject, chance: Random): JsonObject {
  const spec = isObject(config["spec"]) ? config["spec"] : undefined;
  if (spec === undefined || !chance.chance(0.05)) return config;
  const wrong: readonly JsonObject[] = [{ unheard: "of" }, { replicas: "many" }, { count: "many" }, { title: 5 }, { names: ["a", "a"] }, { ports: "none" }];
  return chance.chance(0.2)
    ? { ...config, metadata: { ...(config["metadata"] as JsonObject), managedFields: [] } }
    : { ...config, spec: { ...spec, ...chance.pick(wrong) } };
}

/** The stored object with some parts taken from another one, some removed, as a client that reads, edits and writes. */
function edited(live: JsonObject, other: JsonObject, chance: Random): JsonObject {
  const out: Record<string, Json | undefined> = { ...live };
  for (const part of ["spec", "status", "metadata"]) {
    const from = isObject(other[part]) ? other[part] : {};
    const before = isObject(live[part]) ? live[part] : {};
    if (out[part] === undefined && Object.keys(from).length === 0) continue;
    const kept = Object.entries(before).filter(() => part === "metadata" || !(part in other) || !chance.chance(0.1));
    const taken = Object.entries(from).filter(([key]) => !["name", "namespace"].includes(key) && chance.chance(0.7));
    out[part] = { ...Object.fromEntries(kept), ...Object.fromEntries(taken) };
  }
  if (chance.chance(0.05)) out["metadata"] = { ...(out["metadata"] as JsonObject), managedFields: chance.pick<Json>([[], [{}]]) };
  return out;
}

function jsonPatchOf(live: JsonObject, other: JsonObject, chance: Random): Json {
  const part = isObject(other["spec"]) ? "spec" : "status";
  const before = Object.keys(isObject(live[part]) ? live[part] : {});
  const after = Object.entries(isObject(other[part]) ? other[part] : {});
  const base: Json[] = live[part] === undefined ? [{ op: "add", path: `/${part}`, value: {} }] : [];
  const removed = chance.some(before, 2);
  const kept = before.find((key) => !removed.includes(key));
  return [
    ...base,
    ...removed.map((key) => ({ op: "remove", path: `/${part}/${key}` })),
    ...chance.some(after, 2).map(([key, value]) => ({ op: chance.pick(["add", "replace"]), path: `/${part}/${key}`, value: value! })),
    ...(chance.chance(0.1) ? [{ op: "test", path: "/kind", value: "Nothing" }] : []),
    ...(chance.chance(0.1) && kept !== undefined ? [{ op: "copy", from: `/${part}/${kept}`, path: `/${part}/${kept}` }] : []),
    ...(chance.chance(0.1) ? [{ op: "add", path: "/metadata/labels", value: { x: "y" } }] : []),
  ];
}

function partial(live: JsonObject, other: JsonObject, chance: Random): JsonObject {
  const { apiVersion, kind, ...rest } = other;
  const { name, namespace, ...metadata } = (rest["metadata"] ?? {}) as JsonObject;
  const removed = (part: string) => Object.fromEntries(chance.some(Object.keys(isObject(live[part]) ? live[part] : {}), 1).map((key) => [key, null]));
  const out: Record<string, Json | undefined> = { metadata };
  for (const part of ["spec", "status"]) if (rest[part] !== undefined) out[part] = { ...removed(part), ...(rest[part] as JsonObject) };
  return out as JsonObject;
}
