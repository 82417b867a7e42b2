import { defineUntypedKind } from "pintle";

/** A custom resource with the fields of a Pod. */
export const Worker = defineUntypedKind({
  group: "bench.example.com",
  version: "v1",
  kind: "Worker",
  plural: "workers",
  scope: "Namespaced",
  subresources: ["status"],
});

export const workerDefinition = {
  metadata: { name: "workers.bench.example.com" },
  spec: {
    group: Worker.group,
    names: { kind: "Worker", plural: "workers", singular: "worker", listKind: "WorkerList" },
    scope: "Namespaced" as const,
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
      },
    ],
  },
};
