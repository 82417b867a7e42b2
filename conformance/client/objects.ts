import { CustomResourceDefinition } from "pintle/kinds/apiextensions/v1";

export const WidgetDefinition = CustomResourceDefinition;

/** A CRD with status, scale and 64-bit integers. */
export const widgetDefinition = {
  metadata: { name: "widgets.conformance.pintle.dev" },
  spec: {
    group: "conformance.pintle.dev",
    names: { plural: "widgets", singular: "widget", kind: "Widget", listKind: "WidgetList" },
    scope: "Namespaced",
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: { status: {}, scale: { specReplicasPath: ".spec.small", statusReplicasPath: ".status.small" } },
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: {
                type: "object",
                properties: { big: { type: "integer", format: "int64" }, small: { type: "integer", format: "int32", maximum: 9 } },
                required: ["small"],
              },
              status: { type: "object", properties: { seen: { type: "integer", format: "int64" }, small: { type: "integer" } } },
            },
          },
        },
      },
    ],
  },
} as const;

interface NamespacedName {
  readonly name: string;
  readonly namespace: string;
}
const labels = { app: "conformance" };
const template = { spec: { containers: [{ name: "main", image: "registry.example.com/none" }] } };

export const deployment = (metadata: NamespacedName) => ({
  metadata,
  spec: { replicas: 1, paused: true, selector: { matchLabels: labels }, template: { metadata: { labels }, ...template } },
});
export const pod = (metadata: NamespacedName) => ({ metadata: { ...metadata, labels: { pod: metadata.name } }, ...template });
