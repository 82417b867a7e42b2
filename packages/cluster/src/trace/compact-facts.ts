import type { Fact } from "pintle";
import { isJsonObject, type Json, type JsonObject } from "pintle/internal/json";
import type { TraceCommit } from "./trace-file.ts";

/** An object version, as far as a fact names it. */
interface CommittedObject {
  readonly revision: number;
  readonly object?: JsonObject | undefined;
}

/** Leaves out facts that the commits imply; identities of committed versions become "@<revision>", positions become differences. */
export function compactFacts(
  facts: readonly object[],
  versions: readonly CommittedObject[],
  commits: readonly TraceCommit[],
): readonly JsonObject[] {
  const identities = indexIdentities(versions);
  const known = new Map(commits.map((commit) => [commit.revision, commit]));
  let [sequence, time] = [0, 0];
  return (facts as unknown as readonly JsonObject[]).flatMap((fact) => {
    if (fact["type"] === "commit" && isDerivable(fact, known.get(Number(fact["revision"])))) return [];
    const { sequence: position, time: at, ...rest } = fact;
    const [s, t] = [Number(position) - sequence, Math.round((Number(at) - time) * 1000) / 1000];
    [sequence, time] = [Number(position), Number(at)];
    return [
      {
        ...(s === 1 ? {} : { s }),
        ...(t === 0 ? {} : { t }),
        ...(mapIdentities(rest, (identity) => toReference(identity, identities)) as JsonObject),
      },
    ];
  });
}

/** The inverse of `compactFacts`. */
export function restoreFacts(
  lines: readonly JsonObject[],
  versions: readonly CommittedObject[],
  commits: readonly TraceCommit[],
): readonly JsonObject[] {
  const identities = indexIdentities(versions);
  let [sequence, time] = [0, 0];
  const facts = lines.map((line) => {
    const { s = 1, t = 0, ...rest } = line;
    if (typeof s !== "number" || typeof t !== "number") return rest;
    sequence += s;
    time = Math.round((time + t) * 1000) / 1000;
    return { sequence, time, ...(mapIdentities(rest, (value) => fromReference(value, identities)) as JsonObject) };
  });
  const derived = commits.flatMap(({ fact, operation, key, revision, uid }): JsonObject[] => {
    if (fact === undefined) return [];
    const [position, at, by] = fact;
    const origin = typeof by !== "string" ? {} : by.startsWith("run ") ? { run: by.slice(4) } : { request: by };
    return [{ sequence: position, time: at, type: "commit", operation, key, revision, uid, ...origin }];
  });
  return [...facts, ...derived].sort((a, b) => Number(a["sequence"]) - Number(b["sequence"]));
}

/** What a commit line holds of its fact: sequence, time, and the request or run. */
export function factsOfCommits(facts: readonly Fact[]): ReadonlyMap<number, NonNullable<TraceCommit["fact"]>> {
  const found = new Map<number, NonNullable<TraceCommit["fact"]>>();
  for (const fact of facts)
    if (fact.type === "commit" && fact.observed === undefined)
      found.set(fact.revision, [fact.sequence, fact.time, fact.request ?? (fact.run === undefined ? undefined : `run ${fact.run}`)]);
  return found;
}

function isDerivable(fact: JsonObject, commit: TraceCommit | undefined): boolean {
  return (
    commit !== undefined &&
    fact["observed"] === undefined &&
    commit.key === fact["key"] &&
    commit.uid === fact["uid"] &&
    commit.operation === fact["operation"]
  );
}

type Identities = ReadonlyMap<number, JsonObject>;

function indexIdentities(versions: readonly CommittedObject[]): Identities {
  const identities = new Map<number, JsonObject>();
  for (const { revision, object } of versions) {
    const metadata = object?.["metadata"];
    if (object === undefined || !isJsonObject(metadata)) continue;
    const { namespace, name, uid } = metadata;
    identities.set(revision, {
      kind: object["kind"],
      ...(namespace === undefined ? {} : { namespace }),
      name,
      uid,
      resourceVersion: String(revision),
    });
  }
  return identities;
}

const IDENTITY_FIELDS = ["kind", "namespace", "name", "uid", "resourceVersion"];

function toReference(value: Json, identities: Identities): Json {
  if (!isJsonObject(value)) return value;
  const known = identities.get(Number(value["resourceVersion"]));
  const isKnown =
    known !== undefined &&
    Object.keys(value).every((name) => IDENTITY_FIELDS.includes(name)) &&
    IDENTITY_FIELDS.every((name) => known[name] === value[name]);
  return isKnown ? `@${value["resourceVersion"]}` : value;
}

function fromReference(value: Json, identities: Identities): Json {
  return typeof value === "string" && value.startsWith("@") ? (identities.get(Number(value.slice(1))) ?? value) : value;
}

/** Maps the identities in the fields of a fact that hold some. */
function mapIdentities(fact: JsonObject, map: (identity: Json) => Json): JsonObject {
  const out: Record<string, Json | undefined> = { ...fact };
  const mapCause = (cause: Json): Json =>
    isJsonObject(cause) && cause["object"] !== undefined ? { ...cause, object: map(cause["object"]) } : cause;
  const mapList = (list: Json | undefined, each: (item: Json) => Json) =>
    Array.isArray(list) ? (list as readonly Json[]).map(each) : list;
  if (fact["type"] === "run") out["causes"] = mapList(fact["causes"], mapCause);
  if (fact["cause"] !== undefined) out["cause"] = mapCause(fact["cause"]);
  if (fact["type"] === "plan") {
    if (fact["object"] !== undefined) out["object"] = map(fact["object"]);
    out["reads"] = mapList(fact["reads"], map);
    if (fact["calls"] !== undefined)
      out["calls"] = mapList(fact["calls"], (call) =>
        isJsonObject(call) && call["objects"] !== undefined ? { ...call, objects: mapList(call["objects"], map) } : call,
      );
  }
  return out;
}
