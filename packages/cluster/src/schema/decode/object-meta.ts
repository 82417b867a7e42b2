import { goAny, goBool, goString, goTime, integerType, listType, mapType, stringType, structType } from "./go-types.ts";

const text = { type: goString };
const instant = { type: goTime };
const texts = { type: mapType(goString) };

const ownerReference = structType("OwnerReference", {
  apiVersion: { type: goString, zero: "" },
  kind: { type: goString, zero: "" },
  name: { type: goString, zero: "" },
  uid: { type: stringType("types.UID"), zero: "" },
  controller: { type: goBool },
  blockOwnerDeletion: { type: goBool },
});

const managedFieldsEntry = structType("ManagedFieldsEntry", {
  manager: text,
  operation: { type: stringType("v1.ManagedFieldsOperationType") },
  apiVersion: text,
  time: instant,
  fieldsType: text,
  fieldsV1: { type: goAny },
  subresource: text,
});

/** metadata, as every object has it. */
export const objectMeta = structType("ObjectMeta", {
  name: text,
  generateName: text,
  namespace: text,
  selfLink: text,
  uid: { type: stringType("types.UID") },
  resourceVersion: text,
  generation: { type: integerType("int64") },
  creationTimestamp: instant,
  deletionTimestamp: instant,
  deletionGracePeriodSeconds: { type: integerType("int64"), pointer: true },
  labels: texts,
  annotations: texts,
  ownerReferences: { type: listType(ownerReference, undefined, { apiVersion: "", kind: "", name: "", uid: "" }) },
  finalizers: { type: listType(goString) },
  managedFields: { type: listType(managedFieldsEntry, undefined, {}) },
});
