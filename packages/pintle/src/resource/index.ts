/**
 * `defineResource`: a custom resource from Zod schemas.
 *
 * In: Zod 4 schemas and the names of a kind. Out: its TypeScript types, structural schemas, a complete `apiextensions.k8s.io/v1`
 * CustomResourceDefinition, and conversions between its versions. `fields/` has the field functions for what Zod has no notation for
 * (quantities, list keys, CEL rules, ...), `schema/` converts Zod schemas to structural schemas, `crd/` builds CustomResourceDefinitions and
 * migrates stored versions. Throws `InvalidResource` for everything that the API server would reject, except invalid CEL, which is not
 * compiled here.
 */
export { isBuiltIn, markBuiltIn } from "./built-in-schemas.ts";
export {
  crdToYaml,
  type MigrateStoredVersionsOptions,
  MigrationFailed,
  migrateStoredVersions,
  type StoredVersionsMigration,
} from "./crd/index.ts";
export type { CustomResourceDefinition, StructuralSchema, ValidationRule } from "./custom-resource-definition.ts";
export { defineResource } from "./define-resource.ts";
export {
  anyObject,
  anyValue,
  atLeastOneOf,
  atMostOneOf,
  atomic,
  type CelRuleOptions,
  celRule,
  duration,
  embedded,
  exactlyOneOf,
  type FieldDocs,
  fieldDocs,
  granular,
  immutable,
  intOrString,
  listMap,
  listSet,
  maxProperties,
  minProperties,
  objectMeta,
  quantity,
  type StringFormat,
  sensitive,
  stringFormat,
  timestamp,
  withAttributes,
} from "./fields/index.ts";
export { InvalidResource } from "./invalid-resource.ts";
export type {
  AnyResource,
  CustomObject,
  DesiredCustomObject,
  Resource,
  SpecAndStatus,
  WebhookClientConfig,
} from "./resource.ts";
export type {
  CrdVersionOptions,
  FieldJsonPath,
  OlderVersion,
  PrinterColumn,
  ResourceDefinition,
  ScaleSubresource,
  UnchangedVersion,
} from "./resource-definition.ts";
export { isStructural, toStructuralSchema } from "./schema/index.ts";
