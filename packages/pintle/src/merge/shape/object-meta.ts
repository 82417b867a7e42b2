import type { Shape } from "../../kinds/index.ts";

const STRING: Shape = { scalar: "string" };
const NUMBER: Shape = { scalar: "number" };
const TIME: Shape = { scalar: "time" };
const STRINGS: Shape = { values: STRING };

const OWNER_REFERENCE: Shape = {
  atomic: true,
  fields: {
    apiVersion: STRING,
    blockOwnerDeletion: { scalar: "boolean" },
    controller: { scalar: "boolean" },
    kind: STRING,
    name: STRING,
    uid: STRING,
  },
};
const MANAGED_FIELDS_ENTRY: Shape = {
  fields: {
    apiVersion: STRING,
    fieldsType: STRING,
    fieldsV1: { values: { untyped: true } },
    manager: STRING,
    operation: STRING,
    subresource: STRING,
    time: TIME,
  },
};

/** The shape of the `metadata` of every object. The schemas of custom resources do not contain it. */
export const OBJECT_META_SHAPE: Shape = {
  fields: {
    annotations: STRINGS,
    creationTimestamp: TIME,
    deletionGracePeriodSeconds: NUMBER,
    deletionTimestamp: TIME,
    finalizers: { items: STRING, list: "set", patch: { strategy: ["merge"] } },
    generateName: STRING,
    generation: NUMBER,
    labels: STRINGS,
    managedFields: { items: MANAGED_FIELDS_ENTRY, list: "atomic" },
    name: STRING,
    namespace: STRING,
    ownerReferences: {
      items: OWNER_REFERENCE,
      list: "map",
      keys: ["uid"],
      keyDefaults: { uid: "" },
      patch: { mergeKey: "uid", strategy: ["merge"] },
    },
    resourceVersion: STRING,
    selfLink: STRING,
    uid: STRING,
  },
};
/** The fields at the root of every object, declared or not. */
export const OBJECT_ROOT_FIELDS = { apiVersion: STRING, kind: STRING, metadata: OBJECT_META_SHAPE };
