import type { JsonObject } from "pintle/kinds";
import type { OpenApi } from "../../api/index.ts";
import { GROUP, VERSION } from "./group.ts";
import { modelName, REFERRED, reference, schemas } from "./schemas.ts";

const PLACE = `apis/${GROUP}/${VERSION}`;
/** Its document has the schemas that everybody refers to. */
const COMMON = "api/v1";

/** The same documents, and one that says what metrics.k8s.io shows: `kubectl explain` asks for it. */
export function withMetrics(openapi: OpenApi): OpenApi {
  return {
    async index() {
      const all = await openapi.index();
      return new Map([...all, [PLACE, all.get(COMMON) ?? ""] as const].sort(([a], [b]) => (a < b ? -1 : 1)));
    },
    document: async (path) => (path === PLACE ? metricsDocument((await openapi.document(COMMON)) as JsonObject) : openapi.document(path)),
    swagger: () => openapi.swagger(),
  };
}

function metricsDocument({ components }: JsonObject): JsonObject {
  const common = (components as JsonObject)["schemas"] as JsonObject;
  const all = { ...schemas, ...Object.fromEntries(REFERRED.map((name) => [name, common[name]])) };
  return {
    openapi: "3.0.0",
    info: { title: "Kubernetes", version: "v1" },
    paths: {
      [`/${PLACE}/namespaces/{namespace}/pods`]: path("list", "PodMetrics", "namespace"),
      [`/${PLACE}/namespaces/{namespace}/pods/{name}`]: path("get", "PodMetrics", "name", "namespace"),
      [`/${PLACE}/nodes`]: path("list", "NodeMetrics"),
      [`/${PLACE}/nodes/{name}`]: path("get", "NodeMetrics", "name"),
      [`/${PLACE}/pods`]: path("list", "PodMetrics"),
    },
    components: { schemas: Object.fromEntries(Object.entries(all).sort(([a], [b]) => (a < b ? -1 : 1))) },
  };
}

/** Metrics are only read. */
function path(action: "get" | "list", kind: string, ...parts: readonly string[]): JsonObject {
  const schema = reference(modelName(action === "list" ? `${kind}List` : kind));
  return {
    get: {
      tags: [`metrics_${VERSION}`],
      responses: { 200: { description: "OK", content: { "application/json": { schema } } }, 401: { description: "Unauthorized" } },
      "x-kubernetes-action": action,
      "x-kubernetes-group-version-kind": { group: GROUP, version: VERSION, kind },
    },
    parameters: parts.map((name) => ({ name, in: "path", required: true, schema: { type: "string" } })),
  };
}
