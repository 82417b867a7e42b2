/**
 * The lifecycle manager: controllers for catalogs, extensions and revisions, compatible with OLM v1.
 *
 * - `crds/`: the CRDs
 * - `api/`: kinds, names, conditions, and what the controllers share
 * - `catalogs/`: reads the images of ClusterCatalogs
 * - `extensions/`: resolves the bundles of ClusterExtensions, and makes revisions of them
 * - `object-sets/`: rolls out the objects of ClusterObjectSets
 *
 * In: a client of a cluster and a source of images. Out: what OLM v1 would do, field by field.
 */

export { createMemoryContents, createStoredContents } from "./api/catalog-contents.ts";
export type { ManagerGates } from "./api/context.ts";
export { METADATA_NAME_LABEL, ROLL_BACK_ANNOTATION, SYSTEM_NAMESPACE } from "./api/names.ts";
export {
  type ExtensionPlan,
  ExtensionPlanKind,
  type ExtensionPlanStatus,
  type ExtensionPolicy,
  ExtensionPolicyKind,
  type OperatorCondition,
  OperatorConditionKind,
  type PlannedBundle,
  type PlannedDefinition,
  type PlannedImage,
  type PlannedObject,
  type PlannedRight,
} from "./api/policy-types.ts";
export type { CatalogContents, ImageSource, PulledCatalog, TrustedSigners, VerifiedImage } from "./api/sources.ts";
export {
  type BundleMetadata,
  type ClusterCatalog,
  ClusterCatalogKind,
  type ClusterCatalogStatus,
  type ClusterExtension,
  ClusterExtensionKind,
  type ClusterExtensionStatus,
  type ClusterObjectSet,
  ClusterObjectSetKind,
  type ClusterObjectSetStatus,
  type CollisionProtection,
  type Condition,
  type ObservedPhase,
  type Phase,
  type PhaseObject,
  type ProgressionProbe,
} from "./api/types.ts";
export { buildManagerDefinitions, buildPolicyDefinitions, type DefinitionSet } from "./crds/index.ts";
export { createFolderImageSource, type FindImageFolder } from "./folder-image-source.ts";
export { buildManagerPrerequisites, type InstallManagerOptions, installLifecycleManager } from "./install-manager.ts";
export { isEmptyPlan } from "./policies/compute-plan.ts";
export { type PlanContext, type PlannedExtension, planExtension } from "./policies/plan-extension.ts";
export { readFailureRecord } from "./policies/roll-back.ts";
export { selectPolicy } from "./policies/select-policy.ts";
export { createRegistryImageSource, type RegistryImageSourceOptions } from "./registry-image-source.ts";
export { type LifecycleManager, type LifecycleManagerOptions, startLifecycleManager } from "./start-manager.ts";
