/** What `pepr deploy` installs: a namespace, and the CRD in which a module stores its state. */
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
