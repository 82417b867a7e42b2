/**
 * defineResource: a custom resource said once, in Zod.
 *
 * In come Zod 4 schemas and the names of a kind; out come its TypeScript types, a structural schema and a complete
 * `apiextensions.k8s.io/v1` CustomResourceDefinition. What Zod cannot say (quantities, list keys, CEL rules, ...) is
 * said by the field functions exported here. Whatever an API server would refuse is refused when the resource is
 * defined, with the field's path and what to write instead; CEL rules are only carried, not compiled.
 */
export { crdYaml } from "./crd-yaml.ts";
export type { CustomResourceDefinition, StructuralSchema, ValidationRule } from "./custom-resource-definition.ts";
export { defineResource } from "./define-resource.ts";
export type { Column, Definition, Older, Path, Scale, Unchanged, VersionOptions } from "./definition.ts";
export * from "./fields.ts";
export { InvalidResource } from "./invalid-resource.ts";
export type { AnyResource, Body, CustomDesired, CustomObject, Resource, WebhookClient } from "./resource.ts";
export { type MigrateOptions, type Migration, MigrationFailed, migrateStoredVersions } from "./stored-versions.ts";
export { isExpressible } from "./structural-schema.ts";
