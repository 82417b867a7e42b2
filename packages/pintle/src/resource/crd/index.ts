/**
 * CustomResourceDefinitions. In: a `ResourceModel` with the names and versions of a resource. Out: the CustomResourceDefinition, its YAML,
 * objects converted between versions, and the migration of stored objects to the storage version.
 */
export { buildCrd } from "./build-crd.ts";
export { convertObject } from "./convert-object.ts";
export { crdToYaml } from "./crd-to-yaml.ts";
export { buildCrdVersion, servingFields, type VersionModel, versionSchema } from "./crd-version.ts";
export {
  type MigrateStoredVersionsOptions,
  MigrationFailed,
  migrateStoredVersions,
  type StoredVersionsMigration,
} from "./migrate-stored-versions.ts";
export type { ResourceModel } from "./resource-model.ts";
export { resolveNames } from "./resource-names.ts";
