import type { JsonObject } from "pintle/kinds";

/** The API group of metrics. */
export const METRICS_GROUP = "metrics.k8s.io";
export const METRICS_VERSION = "v1beta1";

const META_PREFIX = "io.k8s.apimachinery.pkg.apis.meta.v1";
const METRICS_PREFIX = `io.k8s.metrics.pkg.apis.metrics.${METRICS_VERSION}`;
const QUANTITY = "io.k8s.apimachinery.pkg.api.resource.Quantity";

/** Returns the schema name of a kind. */
export const getModelName = (kind: string): string => `${METRICS_PREFIX}.${kind}`;
export const buildReference = (name: string): JsonObject => ({ $ref: `#/components/schemas/${name}` });

/** The shared schemas that the metrics schemas refer to. */
export const REFERENCED_MODELS: readonly string[] = [
  ...["FieldsV1", "ListMeta", "ManagedFieldsEntry", "ObjectMeta", "OwnerReference", "Time"].map((name) => `${META_PREFIX}.${name}`),
  QUANTITY,
];

const referenceField = (name: string): JsonObject => ({ allOf: [buildReference(name)], default: {} });
const referenceList = (name: string): JsonObject => ({ type: "array", items: referenceField(name) });
const describeField = (description: string, schema: JsonObject): JsonObject => ({ description, ...schema });
const text = { type: "string" };
const usage = describeField("What is used of each resource: cpu and memory.", {
  type: "object",
  additionalProperties: buildReference(QUANTITY),
});
const typed = { apiVersion: describeField("The version of this representation.", text), kind: describeField("What this object is.", text) };
const measured = {
  ...typed,
  metadata: referenceField(`${META_PREFIX}.ObjectMeta`),
  timestamp: describeField("When it was measured: the end of the window.", referenceField(`${META_PREFIX}.Time`)),
  window: describeField("How long it was measured for.", buildReference(`${META_PREFIX}.Duration`)),
};

function buildKindSchema(name: string, description: string, required: readonly string[], properties: JsonObject): JsonObject {
  const groupVersionKind = { "x-kubernetes-group-version-kind": [{ group: METRICS_GROUP, version: METRICS_VERSION, kind: name }] };
  return { description, type: "object", required, properties, ...groupVersionKind };
}

function buildListSchema(of: string): JsonObject {
  const properties = { ...typed, metadata: referenceField(`${META_PREFIX}.ListMeta`), items: referenceList(getModelName(of)) };
  return buildKindSchema(`${of}List`, `Several ${of}.`, ["metadata", "items"], properties);
}

/** The schemas of metrics.k8s.io, by name. */
export const METRICS_SCHEMAS: Readonly<Record<string, JsonObject>> = {
  [`${META_PREFIX}.Duration`]: { description: 'A length of time: "10s".', type: "string" },
  [getModelName("ContainerMetrics")]: {
    description: "What a container of a pod uses.",
    type: "object",
    required: ["name", "usage"],
    properties: { name: describeField("The container's name in its pod.", text), usage },
  },
  [getModelName("NodeMetrics")]: buildKindSchema("NodeMetrics", "What a node uses.", ["timestamp", "window", "usage"], {
    ...measured,
    usage,
  }),
  [getModelName("NodeMetricsList")]: buildListSchema("NodeMetrics"),
  [getModelName("PodMetrics")]: buildKindSchema("PodMetrics", "What the containers of a pod use.", ["timestamp", "window", "containers"], {
    ...measured,
    containers: describeField("All containers, measured in the same window.", referenceList(getModelName("ContainerMetrics"))),
  }),
  [getModelName("PodMetricsList")]: buildListSchema("PodMetrics"),
};
