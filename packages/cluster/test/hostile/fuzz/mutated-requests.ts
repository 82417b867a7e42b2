import { readFileSync } from "node:fs";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { type Random, seededRandom } from "pintle/internal/clock";
import type { Json, JsonObject } from "pintle/kinds";
import { stringify } from "yaml";
import {
  APPLY_PATCH,
  bodyRequest,
  type HostileRequest,
  JSON_BODY,
  JSON_PATCH,
  MERGE_PATCH,
  PROTOBUF_BODY,
  STRATEGIC_PATCH,
  YAML_BODY,
} from "../hostile-request.ts";
import { mutateBytes, mutateText, mutateValue, pick } from "./mutate.ts";

interface RecordedBody {
  readonly protobuf: string;
  readonly json: string;
}
/** The path of the collection of each kind, by `{apiVersion}/{kind}`: "/api/v1/namespaces/default/pods". */
export type ResourcePaths = ReadonlyMap<string, string>;

/** An object of every built-in kind, and bodies of kubectl. */
const objects = bodies("bodies.json.gz").map(({ json }) => clearServerFields(JSON.parse(json) as JsonObject));
const kubectlBodies = bodies("sent.json.gz");

function bodies(file: string): readonly RecordedBody[] {
  const folder = path.join(import.meta.dirname, "../../codec");
  return JSON.parse(gunzipSync(readFileSync(path.join(folder, file))).toString()) as readonly RecordedBody[];
}

/** Removes the metadata that a server sets. */
function clearServerFields(object: JsonObject): JsonObject {
  const { uid, resourceVersion, creationTimestamp, managedFields, generation, namespace, selfLink, ...metadata } = object[
    "metadata"
  ] as JsonObject;
  return { ...object, metadata };
}

const getResourcePath = (object: JsonObject, places: ResourcePaths) =>
  places.get(`${String(object["apiVersion"])}/${String(object["kind"])}`) ?? "/api/v1/namespaces/default/configmaps";

/** Builds the valid requests that create the objects which mutated requests change. */
export function buildValidRequests(places: ResourcePaths): readonly HostileRequest[] {
  return objects.map((object) => bodyRequest("good", "POST", getResourcePath(object, places), JSON_BODY, object));
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

/** Generates `count` mutated requests, the same for the same seed. */
export function* generateMutatedRequests(seed: number, count: number, places: ResourcePaths): Generator<HostileRequest> {
  const random = seededRandom(seed);
  for (let n = 0; n < count; n++) yield buildMutatedRequest(random, `seed ${seed}, request ${n}`, places);
}

function buildMutatedRequest(random: Random, name: string, places: ResourcePaths): HostileRequest {
  const object = pick(random, objects);
  const place = getResourcePath(object, places);
  const named = `${place}/${String((object["metadata"] as JsonObject)["name"])}`;
  const query = random() < 0.3 ? `?${buildQuery(random)}` : "";
  const headers = random() < 0.3 ? { accept: escapeUnprintable(mutateText(random, pick(random, ACCEPTS))) } : {};
  const kind = random();
  if (kind < 0.15)
    return {
      name,
      method: pick(random, ["GET", "DELETE"]),
      path: `${mutatePath(random, random() < 0.5 ? place : named)}${query}`,
      headers,
    };
  if (kind < 0.55) {
    if (random() < 0.25) return buildMutatedProtobufRequest(random, name, places, query, headers);
    const [type, body] = encodeMutated(random, object);
    const [method, path] = random() < 0.7 ? ["POST", place] : ["PUT", named];
    return { name, method, path: `${path}${query}`, headers: { "content-type": type, ...headers }, body };
  }
  const type = pick(random, PATCHES);
  const manager = type === APPLY_PATCH ? `${query === "" ? "?" : "&"}fieldManager=fuzz&force=true` : "";
  const patch = type === JSON_PATCH ? buildOperations(random, object) : selectFields(random, object);
  const text = Buffer.from(toJson(random() < 0.6 ? mutateValue(random, patch) : patch));
  const body = random() < 0.3 ? mutateBytes(random, text) : text;
  return { name, method: "PATCH", path: `${named}${query}${manager}`, headers: { "content-type": type, ...headers }, body };
}

function buildMutatedProtobufRequest(
  random: Random,
  name: string,
  places: ResourcePaths,
  query: string,
  headers: HostileRequest["headers"],
): HostileRequest {
  const { protobuf, json } = pick(random, kubectlBodies);
  const body = mutateBytes(random, Buffer.from(protobuf, "base64"));
  const path = `${getResourcePath(JSON.parse(json) as JsonObject, places)}${query}`;
  return { name, method: "POST", path, headers: { "content-type": PROTOBUF_BODY, ...headers }, body };
}

function encodeMutated(random: Random, object: JsonObject): readonly [type: string, body: Buffer] {
  const form = random();
  const mutated = mutateValue(random, object);
  if (form < 0.2) return [YAML_BODY, mutateBytes(random, Buffer.from(stringify(object)))];
  const text = Buffer.from(toJson(mutated));
  return [JSON_BODY, form < 0.85 ? text : mutateBytes(random, text)];
}

/** Builds a few operations on paths of the object, some of them mutated. */
function buildOperations(random: Random, object: JsonObject): Json {
  const place = () => {
    let value: Json | undefined = object;
    let pointer = "";
    while (typeof value === "object" && value !== null && random() < 0.8 && Object.keys(value).length > 0) {
      const key: string = pick(random, Object.keys(value));
      pointer += `/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
      value = (value as Record<string, Json>)[key];
    }
    return random() < 0.2 ? mutateText(random, pointer) : pointer;
  };
  return Array.from({ length: 1 + Math.floor(random() * 4) }, () => ({
    op: pick(random, ["add", "remove", "replace", "move", "copy", "test"]),
    path: place(),
    from: place(),
    value: mutateValue(random, object),
  }));
}

function selectFields(random: Random, object: JsonObject): Json {
  const kept = Object.entries(object).filter(([key]) => key === "apiVersion" || key === "kind" || random() < 0.6);
  return Object.fromEntries(kept) as Json;
}

const mutatePath = (random: Random, path: string) =>
  random() < 0.5 ? path : `/${escapeUnprintable(mutateText(random, path)).replaceAll("?", "")}`;
const buildQuery = (random: Random) =>
  escapeUnprintable(random() < 0.5 ? pick(random, QUERIES) : mutateText(random, pick(random, QUERIES)));
/** Escapes characters that a request line or a header cannot contain. */
const escapeUnprintable = (text: string) => text.replace(/[^!-~]/gu, (c) => encodeURIComponent(Buffer.from(c).toString()));
const toJson = (value: Json) => JSON.stringify(value, (_key, part: unknown) => (typeof part === "bigint" ? Number(part) : part)) ?? "null";
