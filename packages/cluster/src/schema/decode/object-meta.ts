import {
  anyDecoder,
  boolDecoder,
  createIntegerDecoder,
  createListDecoder,
  createMapDecoder,
  createStringDecoder,
  createStructDecoder,
  stringDecoder,
  timeDecoder,
} from "./go-decoders.ts";

const stringField = { decoder: stringDecoder };
const timeField = { decoder: timeDecoder };
const stringMapField = { decoder: createMapDecoder(stringDecoder) };

const ownerReferenceDecoder = createStructDecoder("OwnerReference", {
  apiVersion: { decoder: stringDecoder, zero: "" },
  kind: { decoder: stringDecoder, zero: "" },
  name: { decoder: stringDecoder, zero: "" },
  uid: { decoder: createStringDecoder("types.UID"), zero: "" },
  controller: { decoder: boolDecoder },
  blockOwnerDeletion: { decoder: boolDecoder },
});

const managedFieldsEntryDecoder = createStructDecoder("ManagedFieldsEntry", {
  manager: stringField,
  operation: { decoder: createStringDecoder("v1.ManagedFieldsOperationType") },
  apiVersion: stringField,
  time: timeField,
  fieldsType: stringField,
  fieldsV1: { decoder: anyDecoder },
  subresource: stringField,
});

/** Decoder of `metadata`. */
export const objectMetaDecoder = createStructDecoder("ObjectMeta", {
  name: stringField,
  generateName: stringField,
  namespace: stringField,
  selfLink: stringField,
  uid: { decoder: createStringDecoder("types.UID") },
  resourceVersion: stringField,
  generation: { decoder: createIntegerDecoder("int64") },
  creationTimestamp: timeField,
  deletionTimestamp: timeField,
  deletionGracePeriodSeconds: { decoder: createIntegerDecoder("int64"), isPointer: true },
  labels: stringMapField,
  annotations: stringMapField,
  ownerReferences: { decoder: createListDecoder(ownerReferenceDecoder, undefined, { apiVersion: "", kind: "", name: "", uid: "" }) },
  finalizers: { decoder: createListDecoder(stringDecoder) },
  managedFields: { decoder: createListDecoder(managedFieldsEntryDecoder, undefined, {}) },
});
