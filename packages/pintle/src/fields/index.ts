/**
 * Types of the built-in kinds as fields of a resource: `podTemplateSpec()`, `resourceRequirements()`, and `builtInField("v1/Probe")` for any other.
 * In: the generated definitions. Out: Zod schemas that are typed as the built-in kinds are, with the structural schema of the API server, without
 * descriptions. An entry point of its own, so that `pintle` does not load the definitions.
 */
import * as z from "zod";
import { markBuiltIn, withAttributes } from "../resource/index.ts";
import type { BuiltInTypes } from "./generated/built-in-types.ts";
import { structuralDefinition } from "./structural-definition.ts";

export type { BuiltInTypes };

/** A field with the type and the schema of a nested type of the built-in kinds. */
export type BuiltInField<Id extends keyof BuiltInTypes> = z.ZodCustom<BuiltInTypes[Id], BuiltInTypes[Id]>;

/**
 * Returns a field of any nested type of the built-in kinds, by its id: "v1/Probe", "apps/v1/DeploymentStrategy", "meta/v1/LabelSelector". The API server
 * validates, defaults and prunes it by the published schema: types, required fields, enums, list keys, quantities; not what the validation of the kind
 * itself checks. Of embedded metadata, labels, annotations, finalizers, name and namespace are kept. Throws `PINTLE2006` for an unknown id.
 *
 * @example
 * ```ts
 * import { defineResource, z } from "pintle";
 * import { builtInField, podTemplateSpec } from "pintle/fields";
 *
 * export const App = defineResource({
 *   group: "example.com",
 *   version: "v1",
 *   kind: "App",
 *   spec: z.object({
 *     template: podTemplateSpec(),
 *     strategy: builtInField("apps/v1/DeploymentStrategy").optional(),
 *   }),
 * });
 * ```
 */
export function builtInField<Id extends keyof BuiltInTypes>(id: Id): BuiltInField<Id> {
  return withAttributes(z.custom<BuiltInTypes[Id]>(), { structural: markBuiltIn(structuralDefinition(id)) });
}

/**
 * A field of the type PodTemplateSpec: `builtInField("v1/PodTemplateSpec")`.
 *
 * @example
 * ```ts
 * import { z } from "pintle";
 * import { podTemplateSpec } from "pintle/fields";
 *
 * export const spec = z.object({ value: podTemplateSpec().optional() });
 * ```
 */
export const podTemplateSpec = (): BuiltInField<"v1/PodTemplateSpec"> => builtInField("v1/PodTemplateSpec");

/**
 * A field of the type PodSpec: `builtInField("v1/PodSpec")`.
 *
 * @example
 * ```ts
 * import { z } from "pintle";
 * import { podSpec } from "pintle/fields";
 *
 * export const spec = z.object({ value: podSpec().optional() });
 * ```
 */
export const podSpec = (): BuiltInField<"v1/PodSpec"> => builtInField("v1/PodSpec");

/**
 * A field of the type Container: `builtInField("v1/Container")`.
 *
 * @example
 * ```ts
 * import { z } from "pintle";
 * import { container } from "pintle/fields";
 *
 * export const spec = z.object({ value: container().optional() });
 * ```
 */
export const container = (): BuiltInField<"v1/Container"> => builtInField("v1/Container");

/**
 * A field of the type ResourceRequirements: `builtInField("v1/ResourceRequirements")`.
 *
 * @example
 * ```ts
 * import { z } from "pintle";
 * import { resourceRequirements } from "pintle/fields";
 *
 * export const spec = z.object({ value: resourceRequirements().optional() });
 * ```
 */
export const resourceRequirements = (): BuiltInField<"v1/ResourceRequirements"> => builtInField("v1/ResourceRequirements");

/**
 * A field of the type Affinity: `builtInField("v1/Affinity")`.
 *
 * @example
 * ```ts
 * import { z } from "pintle";
 * import { affinity } from "pintle/fields";
 *
 * export const spec = z.object({ value: affinity().optional() });
 * ```
 */
export const affinity = (): BuiltInField<"v1/Affinity"> => builtInField("v1/Affinity");

/**
 * A field of the type Toleration: `builtInField("v1/Toleration")`.
 *
 * @example
 * ```ts
 * import { z } from "pintle";
 * import { toleration } from "pintle/fields";
 *
 * export const spec = z.object({ value: toleration().optional() });
 * ```
 */
export const toleration = (): BuiltInField<"v1/Toleration"> => builtInField("v1/Toleration");

/**
 * A field of the type TopologySpreadConstraint: `builtInField("v1/TopologySpreadConstraint")`.
 *
 * @example
 * ```ts
 * import { z } from "pintle";
 * import { topologySpreadConstraint } from "pintle/fields";
 *
 * export const spec = z.object({ value: topologySpreadConstraint().optional() });
 * ```
 */
export const topologySpreadConstraint = (): BuiltInField<"v1/TopologySpreadConstraint"> => builtInField("v1/TopologySpreadConstraint");

/**
 * A field of the type Volume: `builtInField("v1/Volume")`.
 *
 * @example
 * ```ts
 * import { z } from "pintle";
 * import { volume } from "pintle/fields";
 *
 * export const spec = z.object({ value: volume().optional() });
 * ```
 */
export const volume = (): BuiltInField<"v1/Volume"> => builtInField("v1/Volume");

/**
 * A field of the type VolumeMount: `builtInField("v1/VolumeMount")`.
 *
 * @example
 * ```ts
 * import { z } from "pintle";
 * import { volumeMount } from "pintle/fields";
 *
 * export const spec = z.object({ value: volumeMount().optional() });
 * ```
 */
export const volumeMount = (): BuiltInField<"v1/VolumeMount"> => builtInField("v1/VolumeMount");

/**
 * A field of the type EnvVar: `builtInField("v1/EnvVar")`.
 *
 * @example
 * ```ts
 * import { z } from "pintle";
 * import { envVar } from "pintle/fields";
 *
 * export const spec = z.object({ value: envVar().optional() });
 * ```
 */
export const envVar = (): BuiltInField<"v1/EnvVar"> => builtInField("v1/EnvVar");

/**
 * A field of the type EnvFromSource: `builtInField("v1/EnvFromSource")`.
 *
 * @example
 * ```ts
 * import { z } from "pintle";
 * import { envFromSource } from "pintle/fields";
 *
 * export const spec = z.object({ value: envFromSource().optional() });
 * ```
 */
export const envFromSource = (): BuiltInField<"v1/EnvFromSource"> => builtInField("v1/EnvFromSource");

/**
 * A field of the type Probe: `builtInField("v1/Probe")`.
 *
 * @example
 * ```ts
 * import { z } from "pintle";
 * import { probe } from "pintle/fields";
 *
 * export const spec = z.object({ value: probe().optional() });
 * ```
 */
export const probe = (): BuiltInField<"v1/Probe"> => builtInField("v1/Probe");

/**
 * A field of the type Lifecycle: `builtInField("v1/Lifecycle")`.
 *
 * @example
 * ```ts
 * import { z } from "pintle";
 * import { lifecycle } from "pintle/fields";
 *
 * export const spec = z.object({ value: lifecycle().optional() });
 * ```
 */
export const lifecycle = (): BuiltInField<"v1/Lifecycle"> => builtInField("v1/Lifecycle");

/**
 * A field of the type SecurityContext: `builtInField("v1/SecurityContext")`.
 *
 * @example
 * ```ts
 * import { z } from "pintle";
 * import { securityContext } from "pintle/fields";
 *
 * export const spec = z.object({ value: securityContext().optional() });
 * ```
 */
export const securityContext = (): BuiltInField<"v1/SecurityContext"> => builtInField("v1/SecurityContext");

/**
 * A field of the type PodSecurityContext: `builtInField("v1/PodSecurityContext")`.
 *
 * @example
 * ```ts
 * import { z } from "pintle";
 * import { podSecurityContext } from "pintle/fields";
 *
 * export const spec = z.object({ value: podSecurityContext().optional() });
 * ```
 */
export const podSecurityContext = (): BuiltInField<"v1/PodSecurityContext"> => builtInField("v1/PodSecurityContext");

/**
 * A field of the type LocalObjectReference: `builtInField("v1/LocalObjectReference")`.
 *
 * @example
 * ```ts
 * import { z } from "pintle";
 * import { localObjectReference } from "pintle/fields";
 *
 * export const spec = z.object({ value: localObjectReference().optional() });
 * ```
 */
export const localObjectReference = (): BuiltInField<"v1/LocalObjectReference"> => builtInField("v1/LocalObjectReference");

/**
 * A field of the type SecretKeySelector: `builtInField("v1/SecretKeySelector")`.
 *
 * @example
 * ```ts
 * import { z } from "pintle";
 * import { secretKeySelector } from "pintle/fields";
 *
 * export const spec = z.object({ value: secretKeySelector().optional() });
 * ```
 */
export const secretKeySelector = (): BuiltInField<"v1/SecretKeySelector"> => builtInField("v1/SecretKeySelector");

/**
 * A field of the type ConfigMapKeySelector: `builtInField("v1/ConfigMapKeySelector")`.
 *
 * @example
 * ```ts
 * import { z } from "pintle";
 * import { configMapKeySelector } from "pintle/fields";
 *
 * export const spec = z.object({ value: configMapKeySelector().optional() });
 * ```
 */
export const configMapKeySelector = (): BuiltInField<"v1/ConfigMapKeySelector"> => builtInField("v1/ConfigMapKeySelector");

/**
 * A field of the type PersistentVolumeClaimSpec: `builtInField("v1/PersistentVolumeClaimSpec")`.
 *
 * @example
 * ```ts
 * import { z } from "pintle";
 * import { persistentVolumeClaimSpec } from "pintle/fields";
 *
 * export const spec = z.object({ value: persistentVolumeClaimSpec().optional() });
 * ```
 */
export const persistentVolumeClaimSpec = (): BuiltInField<"v1/PersistentVolumeClaimSpec"> => builtInField("v1/PersistentVolumeClaimSpec");

/**
 * A field of the type ServicePort: `builtInField("v1/ServicePort")`.
 *
 * @example
 * ```ts
 * import { z } from "pintle";
 * import { servicePort } from "pintle/fields";
 *
 * export const spec = z.object({ value: servicePort().optional() });
 * ```
 */
export const servicePort = (): BuiltInField<"v1/ServicePort"> => builtInField("v1/ServicePort");

/**
 * A field of the type JobTemplateSpec: `builtInField("batch/v1/JobTemplateSpec")`.
 *
 * @example
 * ```ts
 * import { z } from "pintle";
 * import { jobTemplateSpec } from "pintle/fields";
 *
 * export const spec = z.object({ value: jobTemplateSpec().optional() });
 * ```
 */
export const jobTemplateSpec = (): BuiltInField<"batch/v1/JobTemplateSpec"> => builtInField("batch/v1/JobTemplateSpec");

/**
 * A field of the type JobSpec: `builtInField("batch/v1/JobSpec")`.
 *
 * @example
 * ```ts
 * import { z } from "pintle";
 * import { jobSpec } from "pintle/fields";
 *
 * export const spec = z.object({ value: jobSpec().optional() });
 * ```
 */
export const jobSpec = (): BuiltInField<"batch/v1/JobSpec"> => builtInField("batch/v1/JobSpec");

/**
 * A field of the type LabelSelector: `builtInField("meta/v1/LabelSelector")`.
 *
 * @example
 * ```ts
 * import { z } from "pintle";
 * import { labelSelector } from "pintle/fields";
 *
 * export const spec = z.object({ value: labelSelector().optional() });
 * ```
 */
export const labelSelector = (): BuiltInField<"meta/v1/LabelSelector"> => builtInField("meta/v1/LabelSelector");
