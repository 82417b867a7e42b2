import { type Definitions, definitionRef } from "../schema.ts";

const META = "io.k8s.apimachinery.pkg.apis.meta.v1.";
export const OBJECT_META = `${META}ObjectMeta`;

const text = { type: "string" } as const;
const time = { $ref: definitionRef(`${META}Time`) } as const;
const number = { type: "integer" } as const;
const texts = { type: "object", additionalProperties: text } as const;

/** The schemas of metadata, which a CRD does not contain. */
export const objectMeta: Definitions = {
  [OBJECT_META]: {
    type: "object",
    properties: {
      annotations: texts,
      creationTimestamp: time,
      deletionGracePeriodSeconds: number,
      deletionTimestamp: time,
      finalizers: { type: "array", items: text, "x-kubernetes-list-type": "set", "x-kubernetes-patch-strategy": "merge" },
      generateName: text,
      generation: number,
      labels: texts,
      managedFields: { type: "array", items: { $ref: definitionRef(`${META}ManagedFieldsEntry`) }, "x-kubernetes-list-type": "atomic" },
      name: text,
      namespace: text,
      ownerReferences: {
        type: "array",
        items: { $ref: definitionRef(`${META}OwnerReference`) },
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["uid"],
        "x-kubernetes-patch-strategy": "merge",
        "x-kubernetes-patch-merge-key": "uid",
      },
      resourceVersion: text,
      selfLink: text,
      uid: text,
    },
  },
  [`${META}OwnerReference`]: {
    type: "object",
    "x-kubernetes-map-type": "atomic",
    properties: {
      apiVersion: text,
      blockOwnerDeletion: { type: "boolean" },
      controller: { type: "boolean" },
      kind: text,
      name: text,
      uid: { type: "string", default: "" },
    },
  },
  [`${META}ManagedFieldsEntry`]: {
    type: "object",
    properties: {
      apiVersion: text,
      fieldsType: text,
      fieldsV1: { $ref: definitionRef(`${META}FieldsV1`) },
      manager: text,
      operation: text,
      subresource: text,
      time,
    },
  },
};
