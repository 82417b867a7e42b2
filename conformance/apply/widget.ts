import { isJsonObject } from "pintle/internal/json";
import { resourceShapeFromSchema } from "pintle/internal/merge";
import { type Json, type JsonObject, type Shape, UNTYPED_SHAPE } from "pintle/kinds";
import type { Random } from "./random.ts";
import type { ComparedKind } from "./step.ts";

const STRING = { type: "string" };
const INTEGER = { type: "integer" };
const child = {
  type: "object",
  properties: { id: INTEGER, text: STRING, tags: { type: "array", items: STRING, "x-kubernetes-list-type": "set" } },
  required: ["id"],
};
const children = { type: "array", items: child, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["id"] };
const port = {
  type: "object",
  required: ["port"],
  properties: { port: INTEGER, protocol: { ...STRING, default: "TCP" }, name: STRING, target: { "x-kubernetes-int-or-string": true } },
};
const ports = { type: "array", items: port, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["port", "protocol"] };
const item = {
  type: "object",
  required: ["name"],
  properties: {
    name: STRING,
    value: STRING,
    children,
    data: { type: "object", additionalProperties: STRING },
    point: { type: "object", "x-kubernetes-map-type": "atomic", properties: { x: INTEGER, y: INTEGER } },
  },
};
const pair = { type: "object", properties: { x: STRING, y: { ...INTEGER, nullable: true } } };
const spec = {
  type: "object",
  properties: {
    count: INTEGER,
    title: STRING,
    on: { type: "boolean" },
    ratio: { type: "number" },
    limit: { "x-kubernetes-int-or-string": true },
    note: { ...STRING, nullable: true },
    labels: { type: "object", additionalProperties: STRING },
    nested: { type: "object", properties: { a: STRING, deep: { type: "object", properties: { b: STRING, c: INTEGER } } } },
    pairs: { type: "object", additionalProperties: pair },
    maybe: { ...pair, nullable: true },
    names: { type: "array", items: STRING, "x-kubernetes-list-type": "set" },
    numbers: { type: "array", items: INTEGER, "x-kubernetes-list-type": "set" },
    ports,
    items: { type: "array", items: item, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"] },
    plain: { type: "array", items: STRING },
    rows: { type: "array", items: pair, "x-kubernetes-list-type": "atomic" },
    whole: { type: "object", additionalProperties: STRING, "x-kubernetes-map-type": "atomic" },
    block: { ...pair, "x-kubernetes-map-type": "atomic" },
    free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
    half: { type: "object", "x-kubernetes-preserve-unknown-fields": true, properties: { known: pair } },
    any: { "x-kubernetes-preserve-unknown-fields": true },
    template: { type: "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true },
  },
};
const condition = { type: "object", required: ["type"], properties: { type: STRING, status: STRING, reason: STRING } };
const status = {
  type: "object",
  properties: {
    phase: STRING,
    conditions: { type: "array", items: condition, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["type"] },
    seen: { type: "object", additionalProperties: INTEGER },
  },
};
const v1 = { type: "object", properties: { spec, status } };
/** The same fields in the second version, but some of them are atomic. */
const v2 = {
  type: "object",
  properties: {
    spec: {
      ...spec,
      properties: {
        ...spec.properties,
        nested: { ...spec.properties.nested, "x-kubernetes-map-type": "atomic" },
        names: { type: "array", items: STRING },
        block: pair,
      },
    },
    status,
  },
};

const group = "apply.example.com";
const version = (name: string, storage: boolean, schema: object) => ({
  name,
  served: true,
  storage,
  schema: { openAPIV3Schema: schema },
  subresources: { status: {} },
});
export const widgetDefinition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `widgets.${group}` },
  spec: {
    group,
    scope: "Namespaced",
    names: { plural: "widgets", singular: "widget", kind: "Widget", listKind: "WidgetList" },
    versions: [version("v1", true, v1), version("v2", false, v2)],
  },
};

const shapes = new Map([
  [`${group}/v1`, resourceShapeFromSchema(v1 as unknown as JsonObject)],
  [`${group}/v2`, resourceShapeFromSchema(v2 as unknown as JsonObject)],
]);

export const widget: ComparedKind = {
  name: "widgets",
  kind: "Widget",
  apiVersions: [...shapes.keys()],
  collection: (apiVersion) => `/apis/${apiVersion}/namespaces/default/widgets`,
  path: (apiVersion, name, subresource) => `/apis/${apiVersion}/namespaces/default/widgets/${name}${subresource && `/${subresource}`}`,
  shape: (apiVersion) => shapes.get(apiVersion)!,
  zeroValue: {},
  resetPaths: (subresource) => (subresource === "status" ? [["metadata"], ["spec"]] : [["status"]]),
  convert: (object, apiVersion) => {
    const shape = shapes.get(apiVersion);
    return shape && { object: { ...object, apiVersion }, shape };
  },
  defaults: (object) => withProtocols(withoutNulls(object, shapes.get(`${group}/v1`)!) as JsonObject),
  toStored: withoutEmpty,
  knowsDefaults: true,
  config: (random, name, subresource) => ({
    kind: "Widget",
    metadata: { name, namespace: "default", ...(random.chance(0.4) ? metadata(random) : {}) },
    ...(subresource === "status" || random.chance(0.1) ? { status: statusOf(random) } : {}),
    ...(subresource === "" || random.chance(0.1) ? { spec: specOf(random) } : {}),
  }),
  object: (random, name) => ({ kind: "Widget", metadata: { name, namespace: "default", ...metadata(random) }, spec: specOf(random) }),
  setAfterOwnership: [],
  verbs: ["update", "apply", "apply", "apply", "apply", "json", "merge"],
};

function withProtocols(object: JsonObject): JsonObject {
  const spec = object["spec"] as JsonObject | undefined;
  const ports = spec?.["ports"];
  if (!Array.isArray(ports)) return object;
  return { ...object, spec: { ...spec, ports: ports.map((port) => ({ protocol: "TCP", ...(port as JsonObject) })) } };
}

const NULLABLE = ["note", "maybe", "y"];

/** Removes nulls, except where the schema allows them or declares no field. */
function withoutNulls(value: Json, shape: Shape): Json {
  if (Array.isArray(value)) return value.map((item) => withoutNulls(item as Json, shape.items ?? UNTYPED_SHAPE));
  if (!isJsonObject(value)) return value;
  const inner = (key: string) => shape.fields?.[key] ?? shape.values ?? UNTYPED_SHAPE;
  const isDropped = (key: string) => !NULLABLE.includes(key) && (shape.fields?.[key] !== undefined || inner(key) !== UNTYPED_SHAPE);
  const keptFields = Object.entries(value).filter(([key, field]) => field !== null || !isDropped(key));
  return Object.fromEntries(keptFields.map(([key, field]) => [key, withoutNulls(field!, inner(key))]));
}

/** Removes empty fields of metadata, also in embedded objects. */
function withoutEmpty(object: JsonObject): JsonObject {
  const isEmpty = (value: Json | undefined) => typeof value === "object" && Object.keys(value ?? {}).length === 0;
  const clean = (of: JsonObject): JsonObject => {
    if (of["metadata"] === undefined) return of;
    const metadata = Object.entries((of["metadata"] ?? {}) as JsonObject).filter(([, value]) => !isEmpty(value));
    return { ...of, metadata: Object.fromEntries(metadata) };
  };
  const spec = isJsonObject(object["spec"]) ? object["spec"] : undefined;
  const template = isJsonObject(spec?.["template"]) ? spec["template"] : undefined;
  return { ...clean(object), ...(template === undefined ? {} : { spec: { ...spec, template: clean(template) } }) };
}

const WORDS = ["a", "b", "c", "d"];
/** Includes characters that Go escapes in sets, messages and annotations. */
const TEXTS = [...WORDS, '<é&"\u2028😀>'];
const randomWord = (random: Random) => random.pick(WORDS);
const some = (random: Random, fields: { readonly [name: string]: () => Json }, most?: number): JsonObject =>
  Object.fromEntries(random.some(Object.keys(fields), most).map((name) => [name, fields[name]!()]));
const map = (random: Random, value: () => Json): JsonObject => Object.fromEntries(random.some(WORDS, 3).map((key) => [key, value()]));
const list = <T extends Json>(random: Random, keys: readonly T[], item: (key: T) => Json): Json => random.some(keys, 3).map(item);

function metadata(random: Random): JsonObject {
  return some(random, {
    labels: () => map(random, () => randomWord(random)),
    annotations: () => map(random, () => randomWord(random)),
    finalizers: () => list(random, ["example.com/a", "example.com/b", "example.com/c"], (name) => name),
    ownerReferences: () =>
      list(random, ["1", "2", "3"], (uid) => ({
        apiVersion: "v1",
        kind: "ConfigMap",
        name: randomWord(random),
        uid,
        ...some(random, { controller: () => false }),
      })),
  });
}

function specOf(random: Random): JsonObject {
  const pairOf = () => some(random, { x: () => randomWord(random), y: () => (random.chance(0.2) ? null : random.int(3)) });
  const randomValue = (depth: number): Json => {
    const choice = random.int(depth > 2 ? 3 : 6);
    if (choice === 0) return randomWord(random);
    if (choice === 1) return random.int(3);
    if (choice === 2) return random.chance(0.5);
    if (choice === 3) return random.some(WORDS, 2);
    return map(random, () => randomValue(depth + 1));
  };
  const childOf = (id: number): Json => ({ id, ...some(random, { text: () => randomWord(random), tags: () => random.some(TEXTS, 2) }) });
  const itemOf = (name: string): Json => ({
    name,
    ...some(random, {
      value: () => randomWord(random),
      children: () => list(random, [1, 2, 3], childOf),
      data: () => map(random, () => randomWord(random)),
      point: () => some(random, { x: () => random.int(3), y: () => random.int(3) }),
    }),
  });
  const portOf = (port: number): Json => ({
    port,
    ...(random.chance(0.5) ? { protocol: "TCP" } : {}),
    ...some(random, { name: () => randomWord(random), target: () => random.pick<Json>([1, "x"]) }),
  });
  return some(
    random,
    {
      count: () => random.int(3),
      title: () => random.pick([...TEXTS, ""]),
      on: () => random.chance(0.5),
      ratio: () => random.pick([0.5, 1, 2.25]),
      limit: () => random.pick<Json>([1, "50%"]),
      note: () => random.pick<Json>([null, "n", "m"]),
      labels: () => map(random, () => randomWord(random)),
      nested: () =>
        some(random, { a: () => randomWord(random), deep: () => some(random, { b: () => randomWord(random), c: () => random.int(3) }) }),
      pairs: () => map(random, pairOf),
      maybe: () => (random.chance(0.3) ? null : pairOf()),
      names: () => random.some(TEXTS, 3),
      numbers: () => random.some([2, 10, 33, 100], 3),
      ports: () => [...(list(random, [9, 80, 443], portOf) as Json[]), ...(random.chance(0.3) ? [{ port: 80, protocol: "UDP" }] : [])],
      items: () => list(random, TEXTS, itemOf),
      plain: () => random.some(WORDS, 3),
      rows: () => random.some([pairOf(), pairOf()]),
      whole: () => map(random, () => randomWord(random)),
      block: pairOf,
      free: () => map(random, () => randomValue(0)),
      half: () => ({ ...map(random, () => randomValue(1)), ...(random.chance(0.5) ? { known: pairOf() } : {}) }),
      any: () => randomValue(0),
      template: () => ({ apiVersion: "v1", kind: "X", metadata: metadata(random), ...map(random, () => randomValue(1)) }),
    },
    7,
  );
}

function statusOf(random: Random): JsonObject {
  return some(random, {
    phase: () => randomWord(random),
    conditions: () =>
      list(random, ["Ready", "Done", "Known"], (type) => ({
        type,
        ...some(random, { status: () => randomWord(random), reason: () => randomWord(random) }),
      })),
    seen: () => map(random, () => random.int(3)),
  });
}
