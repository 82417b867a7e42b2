import type { KubernetesObject, V1CustomResourceDefinition } from "@kubernetes/client-node";

export const GROUP = "node.example.com";
export const PLURAL = "memcacheds";
export const FINALIZER = `${GROUP}/farewell`;

export interface Memcached extends KubernetesObject {
  spec?: { size: number };
  status?: { ready: number; observedGeneration: number };
}

export const definition: V1CustomResourceDefinition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `${PLURAL}.${GROUP}` },
  spec: {
    group: GROUP,
    scope: "Namespaced",
    names: { plural: PLURAL, kind: "Memcached" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: { type: "object", properties: { size: { type: "integer", minimum: 0 } } },
              status: { type: "object", properties: { ready: { type: "integer" }, observedGeneration: { type: "integer" } } },
            },
          },
        },
      },
    ],
  },
};
