import type { Json, JsonObject } from "pintle/kinds";
import { stringify } from "yaml";

/** What each value is: a line for readers of values.yaml, and its schema. */
const ABOUT: Readonly<Record<string, { readonly text: string; readonly schema: JsonObject }>> = {
  replicas: { text: "More than one share the work of being ready; one of them leads.", schema: { type: "integer", minimum: 0 } },
  image: {
    text: "The operator's image; a digest counts before a tag.",
    schema: object({
      repository: { type: "string", minLength: 1 },
      tag: { type: "string" },
      digest: { type: "string", pattern: "^(sha256:[0-9a-f]{64})?$" },
      pullPolicy: { type: "string", enum: ["", "Always", "IfNotPresent", "Never"] },
    }),
  },
  resources: {
    text: "What the manager's container asks for, and may use at most.",
    schema: object({ requests: quantities(), limits: quantities(), claims: { type: "array" } }, []),
  },
  nodeOptions: {
    text: "Node's own settings: a heap of about three quarters of the memory limit leaves room for the rest.",
    schema: { type: "string" },
  },
  env: { text: "More environment of the manager's container.", schema: strings() },
  imagePullSecrets: { text: "Secrets to pull the image with.", schema: { type: "array", items: object({ name: { type: "string" } }) } },
  nodeSelector: { text: "Where the pods run.", schema: strings() },
  tolerations: { text: "", schema: { type: "array", items: { type: "object" } } },
  affinity: { text: "", schema: { type: "object" } },
  priorityClassName: { text: "", schema: { type: "string" } },
  podAnnotations: { text: "More annotations of the pods.", schema: strings() },
  namespaces: {
    text: "Which namespaces it works in: all, own, or a list. Sets what is watched and what is allowed, together.",
    schema: {
      oneOf: [
        { type: "string", enum: ["all", "own"] },
        { type: "array", minItems: 1, items: { type: "string", pattern: "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$" } },
      ],
    },
  },
  namespace: {
    text: "Whether the release's namespace is part of the chart; else: helm install --create-namespace.",
    schema: object({ create: { type: "boolean" } }),
  },
  crd: {
    text: "CustomResourceDefinitions: whether they are part of the chart, and stay, with every object of theirs, when it goes.",
    schema: object({ enabled: { type: "boolean" }, keep: { type: "boolean" } }),
  },
  userRoles: { text: "Roles for people: admin, editor and viewer of each resource.", schema: object({ enabled: { type: "boolean" } }) },
  serviceAccount: { text: "The operator's account.", schema: object({ annotations: strings() }) },
  prometheus: { text: "A ServiceMonitor for the Prometheus operator.", schema: object({ enabled: { type: "boolean" } }) },
  networkPolicy: {
    text: "Only namespaces labelled `metrics: enabled` reach the metrics.",
    schema: object({ enabled: { type: "boolean" } }),
  },
};

/** Each value with what it is for. */
export function valuesFile(values: JsonObject): string {
  return Object.entries(values)
    .map(([name, value]) => {
      const text = ABOUT[name]?.text ?? "";
      return `${text === "" ? "" : `# ${text}\n`}${stringify({ [name]: value as Json }, { compat: "yaml-1.1", lineWidth: 0 })}`;
    })
    .join("\n");
}

/** A value that is misspelt or of another type stops helm with a sentence. */
export function valuesSchema(values: JsonObject): JsonObject {
  const properties = Object.fromEntries(
    Object.keys(values).map((name) => [name, { ...ABOUT[name]?.schema, ...(ABOUT[name]?.text ? { description: ABOUT[name].text } : {}) }]),
  );
  // What helm itself, or a chart around this one, adds.
  return { $schema: "http://json-schema.org/draft-07/schema#", ...object({ ...properties, global: { type: "object" } }, []) };
}

function object(properties: Readonly<Record<string, JsonObject>>, required = Object.keys(properties)): JsonObject {
  return { type: "object", additionalProperties: false, properties, ...(required.length === 0 ? {} : { required }) };
}
function strings(): JsonObject {
  return { type: "object", additionalProperties: { type: "string" } };
}
function quantities(): JsonObject {
  return { type: "object", additionalProperties: { type: ["string", "number"] } };
}
