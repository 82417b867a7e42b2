/** What `pepr deploy` would have installed: a namespace, and the kind in which a module keeps what it wants to remember. */
export const NAMESPACE = "pepr-system";
export const storeDefinition = {
  metadata: { name: "peprstores.pepr.dev" },
  spec: {
    group: "pepr.dev",
    names: { kind: "PeprStore", plural: "peprstores", singular: "peprstore" },
    scope: "Namespaced" as const,
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: { type: "object", properties: { data: { type: "object", additionalProperties: { type: "string" } } } },
        },
      },
    ],
  },
};
