import type { JsonObject } from "pintle/kinds";
import { GROUP, VERSION } from "./group.ts";

const META = "io.k8s.apimachinery.pkg.apis.meta.v1";
const OWN = `io.k8s.metrics.pkg.apis.metrics.${VERSION}`;
const QUANTITY = "io.k8s.apimachinery.pkg.api.resource.Quantity";

/** How the schema of one of these kinds is called. */
export const modelName = (kind: string): string => `${OWN}.${kind}`;
export const reference = (name: string): JsonObject => ({ $ref: `#/components/schemas/${name}` });

/** Schemas of every server that these refer to. */
export const REFERRED: readonly string[] = [
  ...["FieldsV1", "ListMeta", "ManagedFieldsEntry", "ObjectMeta", "OwnerReference", "Time"].map((name) => `${META}.${name}`),
  QUANTITY,
];

const one = (name: string): JsonObject => ({ allOf: [reference(name)], default: {} });
const many = (name: string): JsonObject => ({ type: "array", items: one(name) });
const described = (description: string, schema: JsonObject): JsonObject => ({ description, ...schema });
const text = { type: "string" };
const usage = described("What is used of each resource: cpu and memory.", { type: "object", additionalProperties: reference(QUANTITY) });
const typed = { apiVersion: described("The version of this representation.", text), kind: described("What this object is.", text) };
const measured = {
  ...typed,
  metadata: one(`${META}.ObjectMeta`),
  timestamp: described("When it was measured: the end of the window.", one(`${META}.Time`)),
  window: described("How long it was measured for.", reference(`${META}.Duration`)),
};

function kind(name: string, description: string, required: readonly string[], properties: JsonObject): JsonObject {
  const known = { "x-kubernetes-group-version-kind": [{ group: GROUP, version: VERSION, kind: name }] };
  return { description, type: "object", required, properties, ...known };
}

function list(of: string): JsonObject {
  const properties = { ...typed, metadata: one(`${META}.ListMeta`), items: many(modelName(of)) };
  return kind(`${of}List`, `Several ${of}.`, ["metadata", "items"], properties);
}

/** What metrics.k8s.io shows, by the names of the schemas. */
export const schemas: Readonly<Record<string, JsonObject>> = {
  [`${META}.Duration`]: { description: 'A length of time: "10s".', type: "string" },
  [modelName("ContainerMetrics")]: {
    description: "What a container of a pod uses.",
    type: "object",
    required: ["name", "usage"],
    properties: { name: described("The container's name in its pod.", text), usage },
  },
  [modelName("NodeMetrics")]: kind("NodeMetrics", "What a node uses.", ["timestamp", "window", "usage"], { ...measured, usage }),
  [modelName("NodeMetricsList")]: list("NodeMetrics"),
  [modelName("PodMetrics")]: kind("PodMetrics", "What the containers of a pod use.", ["timestamp", "window", "containers"], {
    ...measured,
    containers: described("All containers, measured in the same window.", many(modelName("ContainerMetrics"))),
  }),
  [modelName("PodMetricsList")]: list("PodMetrics"),
};
