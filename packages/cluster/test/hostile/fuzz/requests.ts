import { readFileSync } from "node:fs";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import type { Json, JsonObject } from "pintle/kinds";
import { type Random, seeded } from "pintle/queue";
import { stringify } from "yaml";
import {
  APPLY_PATCH,
  type Attack,
  JSON_BODY,
  JSON_PATCH,
  MERGE_PATCH,
  PROTOBUF_BODY,
  STRATEGIC_PATCH,
  send,
  YAML_BODY,
} from "../attack.ts";
import { pick, spoiltBytes, spoiltText, spoiltValue } from "./mutate.ts";

interface Recorded {
  readonly protobuf: string;
  readonly json: string;
}
/** Where objects of a kind live, `{apiVersion}/{kind}`: "/api/v1/namespaces/default/pods". */
export type Places = ReadonlyMap<string, string>;

/** An object of every built-in kind, and what kubectl sends. */
const objects = bodies("bodies.json.gz").map(({ json }) => fresh(JSON.parse(json) as JsonObject));
const sentOnes = bodies("sent.json.gz");

function bodies(file: string): readonly Recorded[] {
  const folder = path.join(import.meta.dirname, "../../codec");
  return JSON.parse(gunzipSync(readFileSync(path.join(folder, file))).toString()) as readonly Recorded[];
}

/** As it was before a server saw it. */
function fresh(object: JsonObject): JsonObject {
  const { uid, resourceVersion, creationTimestamp, managedFields, generation, namespace, selfLink, ...metadata } = object[
    "metadata"
  ] as JsonObject;
  return { ...object, metadata };
}

const placeOf = (object: JsonObject, places: Places) =>
  places.get(`${String(object["apiVersion"])}/${String(object["kind"])}`) ?? "/api/v1/namespaces/default/configmaps";

/** The good requests that make what the spoilt ones change. */
export function goodRequests(places: Places): readonly Attack[] {
  return objects.map((object) => send("good", "POST", placeOf(object, places), JSON_BODY, object));
}

const QUERIES = [
  "labelSelector=a%20in%20(b,c),!d",
  "fieldSelector=metadata.name%3Da",
  "limit=2&continue=",
  "resourceVersion=5&resourceVersionMatch=NotOlderThan",
  "watch=1&timeoutSeconds=1&allowWatchBookmarks=true",
  "dryRun=All&fieldManager=m&fieldValidation=Strict",
  "propagationPolicy=Foreground&gracePeriodSeconds=0",
];
const ACCEPTS = [
  "application/json",
  "application/json;as=Table;v=v1;g=meta.k8s.io",
  "application/yaml",
  "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io",
];
const PATCHES = [JSON_PATCH, MERGE_PATCH, STRATEGIC_PATCH, APPLY_PATCH];

/** So many requests, the same for the same seed, each a good one that somebody spoilt. */
export function* spoiltRequests(seed: number, count: number, places: Places): Generator<Attack> {
  const random = seeded(seed);
  for (let n = 0; n < count; n++) yield spoiltRequest(random, `seed ${seed}, request ${n}`, places);
}

function spoiltRequest(random: Random, name: string, places: Places): Attack {
  const object = pick(random, objects);
  const place = placeOf(object, places);
  const named = `${place}/${String((object["metadata"] as JsonObject)["name"])}`;
  const query = random() < 0.3 ? `?${spoiltQuery(random)}` : "";
  const headers = random() < 0.3 ? { accept: printable(spoiltText(random, pick(random, ACCEPTS))) } : {};
  const kind = random();
  if (kind < 0.15)
    return { name, method: pick(random, ["GET", "DELETE"]), path: `${target(random, random() < 0.5 ? place : named)}${query}`, headers };
  if (kind < 0.55) {
    if (random() < 0.25) return spoiltProtobuf(random, name, places, query, headers);
    const [type, body] = sent(random, object);
    const [method, path] = random() < 0.7 ? ["POST", place] : ["PUT", named];
    return { name, method, path: `${path}${query}`, headers: { "content-type": type, ...headers }, body };
  }
  const type = pick(random, PATCHES);
  const manager = type === APPLY_PATCH ? `${query === "" ? "?" : "&"}fieldManager=fuzz&force=true` : "";
  const patch = type === JSON_PATCH ? operations(random, object) : partOf(random, object);
  const text = Buffer.from(jsonOf(random() < 0.6 ? spoiltValue(random, patch) : patch));
  const body = random() < 0.3 ? spoiltBytes(random, text) : text;
  return { name, method: "PATCH", path: `${named}${query}${manager}`, headers: { "content-type": type, ...headers }, body };
}

function spoiltProtobuf(random: Random, name: string, places: Places, query: string, headers: Attack["headers"]): Attack {
  const { protobuf, json } = pick(random, sentOnes);
  const body = spoiltBytes(random, Buffer.from(protobuf, "base64"));
  const path = `${placeOf(JSON.parse(json) as JsonObject, places)}${query}`;
  return { name, method: "POST", path, headers: { "content-type": PROTOBUF_BODY, ...headers }, body };
}

function sent(random: Random, object: JsonObject): readonly [type: string, body: Buffer] {
  const form = random();
  const spoilt = spoiltValue(random, object);
  if (form < 0.2) return [YAML_BODY, spoiltBytes(random, Buffer.from(stringify(object)))];
  const text = Buffer.from(jsonOf(spoilt));
  return [JSON_BODY, form < 0.85 ? text : spoiltBytes(random, text)];
}

/** A few operations on places that are there, or nearly. */
function operations(random: Random, object: JsonObject): Json {
  const place = () => {
    let value: Json | undefined = object;
    let pointer = "";
    while (typeof value === "object" && value !== null && random() < 0.8 && Object.keys(value).length > 0) {
      const key: string = pick(random, Object.keys(value));
      pointer += `/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
      value = (value as Record<string, Json>)[key];
    }
    return random() < 0.2 ? spoiltText(random, pointer) : pointer;
  };
  return Array.from({ length: 1 + Math.floor(random() * 4) }, () => ({
    op: pick(random, ["add", "remove", "replace", "move", "copy", "test"]),
    path: place(),
    from: place(),
    value: spoiltValue(random, object),
  }));
}

function partOf(random: Random, object: JsonObject): Json {
  const kept = Object.entries(object).filter(([key]) => key === "apiVersion" || key === "kind" || random() < 0.6);
  return Object.fromEntries(kept) as Json;
}

const target = (random: Random, path: string) => (random() < 0.5 ? path : `/${printable(spoiltText(random, path)).replaceAll("?", "")}`);
const spoiltQuery = (random: Random) => printable(random() < 0.5 ? pick(random, QUERIES) : spoiltText(random, pick(random, QUERIES)));
/** What a request line and a header can hold. */
const printable = (text: string) => text.replace(/[^!-~]/gu, (c) => encodeURIComponent(Buffer.from(c).toString()));
const jsonOf = (value: Json) => JSON.stringify(value, (_key, part: unknown) => (typeof part === "bigint" ? Number(part) : part)) ?? "null";
