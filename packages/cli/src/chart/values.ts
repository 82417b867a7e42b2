import type { Json, JsonObject } from "pintle/kinds";
import { stringify } from "yaml";

/** Comment in values.yaml and JSON schema of each value. */
const VALUE_DOCS: Readonly<Record<string, { readonly text: string; readonly schema: JsonObject }>> = {
  replicas: {
    text: "Number of manager pods. With more than one, leader election picks the active pod.",
    schema: { type: "integer", minimum: 0 },
  },
  image: {
    text: "Image of the operator. A digest takes precedence over a tag.",
    schema: objectSchema({
      repository: { type: "string", minLength: 1 },
      tag: { type: "string" },
      digest: { type: "string", pattern: "^(sha256:[0-9a-f]{64})?$" },
      pullPolicy: { type: "string", enum: ["", "Always", "IfNotPresent", "Never"] },
    }),
  },
  resources: {
    text: "Resource requests and limits of the manager container.",
    schema: objectSchema({ requests: quantityMapSchema(), limits: quantityMapSchema(), claims: { type: "array" } }, []),
  },
  nodeOptions: {
    text: "NODE_OPTIONS of the manager container. The default limits the heap to three quarters of the memory limit.",
    schema: { type: "string" },
  },
  env: { text: "Additional environment variables of the manager container.", schema: stringMapSchema() },
  imagePullSecrets: {
    text: "Image pull secrets of the manager pods.",
    schema: { type: "array", items: objectSchema({ name: { type: "string" } }) },
  },
  nodeSelector: { text: "Node selector of the manager pods.", schema: stringMapSchema() },
  tolerations: { text: "", schema: { type: "array", items: { type: "object" } } },
  affinity: { text: "", schema: { type: "object" } },
  priorityClassName: { text: "", schema: { type: "string" } },
  topologySpreadConstraints: {
    text: "How the manager pods are spread: a list of constraints, or default (over nodes and zones where possible if there is more than one replica).",
    schema: {
      oneOf: [
        { type: "string", enum: ["default"] },
        { type: "array", items: { type: "object" } },
      ],
    },
  },
  podDisruptionBudget: {
    text: "PodDisruptionBudget of the manager pods: true, false, or auto (if there is more than one replica). minAvailable takes precedence.",
    schema: objectSchema({
      enabled: { enum: ["auto", true, false] },
      minAvailable: { type: ["integer", "string"] },
      maxUnavailable: { type: ["integer", "string"] },
    }),
  },
  podAnnotations: { text: "Additional annotations of the manager pods.", schema: stringMapSchema() },
  namespaces: {
    text: "Namespaces to watch: all, own, or a list. Configures both the watches and the RBAC rules.",
    schema: {
      oneOf: [
        { type: "string", enum: ["all", "own"] },
        { type: "array", minItems: 1, items: { type: "string", pattern: "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$" } },
      ],
    },
  },
  namespace: {
    text: "Whether the chart creates the namespace of the release. Otherwise use helm install --create-namespace.",
    schema: objectSchema({ create: { type: "boolean" } }),
  },
  crd: {
    text: "Whether the chart installs the CustomResourceDefinitions, and whether they are kept, with their custom resources, on uninstall.",
    schema: objectSchema({ enabled: { type: "boolean" }, keep: { type: "boolean" } }),
  },
  userRoles: {
    text: "Admin, editor and viewer ClusterRoles for each custom resource.",
    schema: objectSchema({ enabled: { type: "boolean" } }),
  },
  serviceAccount: { text: "ServiceAccount of the operator.", schema: objectSchema({ annotations: stringMapSchema() }) },
  prometheus: { text: "Create a ServiceMonitor for the Prometheus operator.", schema: objectSchema({ enabled: { type: "boolean" } }) },
  networkPolicy: {
    text: "Create NetworkPolicies: webhooks from anywhere, metrics from namespaces labelled `metrics: enabled`; egress to DNS, API servers and what pintle.config.ts adds.",
    schema: objectSchema({ enabled: { type: "boolean" } }),
  },
};

/** Renders values.yaml with a comment above each value. */
export function renderValuesFile(values: JsonObject): string {
  return Object.entries(values)
    .map(([name, value]) => {
      const text = VALUE_DOCS[name]?.text ?? "";
      return `${text === "" ? "" : `# ${text}\n`}${stringify({ [name]: value as Json }, { compat: "yaml-1.1", lineWidth: 0 })}`;
    })
    .join("\n");
}

/** Builds values.schema.json, so that helm rejects misspelt values and wrong types. */
export function buildValuesSchema(values: JsonObject): JsonObject {
  const properties = Object.fromEntries(
    Object.keys(values).map((name) => [
      name,
      { ...VALUE_DOCS[name]?.schema, ...(VALUE_DOCS[name]?.text ? { description: VALUE_DOCS[name].text } : {}) },
    ]),
  );
  // `global` is added by helm itself or by a parent chart.
  return { $schema: "http://json-schema.org/draft-07/schema#", ...objectSchema({ ...properties, global: { type: "object" } }, []) };
}

function objectSchema(properties: Readonly<Record<string, JsonObject>>, required = Object.keys(properties)): JsonObject {
  return { type: "object", additionalProperties: false, properties, ...(required.length === 0 ? {} : { required }) };
}
function stringMapSchema(): JsonObject {
  return { type: "object", additionalProperties: { type: "string" } };
}
function quantityMapSchema(): JsonObject {
  return { type: "object", additionalProperties: { type: ["string", "number"] } };
}
