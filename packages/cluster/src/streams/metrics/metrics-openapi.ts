import type { JsonObject } from "pintle/kinds";
import type { OpenApiSource } from "../../api/index.ts";
import { buildReference, getModelName, METRICS_GROUP, METRICS_SCHEMAS, METRICS_VERSION, REFERENCED_MODELS } from "./metrics-schemas.ts";

const METRICS_PATH = `apis/${METRICS_GROUP}/${METRICS_VERSION}`;
/** The document with the shared schemas. */
const COMMON_PATH = "api/v1";

/** Adds the OpenAPI document of metrics.k8s.io, which `kubectl explain` requests. */
export function addMetricsDocument(openapi: OpenApiSource): OpenApiSource {
  return {
    async index() {
      const all = await openapi.index();
      return new Map([...all, [METRICS_PATH, all.get(COMMON_PATH) ?? ""] as const].sort(([a], [b]) => (a < b ? -1 : 1)));
    },
    document: async (path) =>
      path === METRICS_PATH ? buildMetricsDocument((await openapi.document(COMMON_PATH)) as JsonObject) : openapi.document(path),
    swagger: () => openapi.swagger(),
  };
}

function buildMetricsDocument({ components }: JsonObject): JsonObject {
  const common = (components as JsonObject)["schemas"] as JsonObject;
  const all = { ...METRICS_SCHEMAS, ...Object.fromEntries(REFERENCED_MODELS.map((name) => [name, common[name]])) };
  return {
    openapi: "3.0.0",
    info: { title: "Kubernetes", version: "v1" },
    paths: {
      [`/${METRICS_PATH}/namespaces/{namespace}/pods`]: buildPath("list", "PodMetrics", "namespace"),
      [`/${METRICS_PATH}/namespaces/{namespace}/pods/{name}`]: buildPath("get", "PodMetrics", "name", "namespace"),
      [`/${METRICS_PATH}/nodes`]: buildPath("list", "NodeMetrics"),
      [`/${METRICS_PATH}/nodes/{name}`]: buildPath("get", "NodeMetrics", "name"),
      [`/${METRICS_PATH}/pods`]: buildPath("list", "PodMetrics"),
    },
    components: { schemas: Object.fromEntries(Object.entries(all).sort(([a], [b]) => (a < b ? -1 : 1))) },
  };
}

/** Metrics are read-only. */
function buildPath(action: "get" | "list", kind: string, ...parts: readonly string[]): JsonObject {
  const schema = buildReference(getModelName(action === "list" ? `${kind}List` : kind));
  return {
    get: {
      tags: [`metrics_${METRICS_VERSION}`],
      responses: { 200: { description: "OK", content: { "application/json": { schema } } }, 401: { description: "Unauthorized" } },
      "x-kubernetes-action": action,
      "x-kubernetes-group-version-kind": { group: METRICS_GROUP, version: METRICS_VERSION, kind },
    },
    parameters: parts.map((name) => ({ name, in: "path", required: true, schema: { type: "string" } })),
  };
}
