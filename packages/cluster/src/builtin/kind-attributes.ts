/** Attributes of built-in kinds that are plain tables. */

/** Kinds whose `metadata.generation` counts changes of the spec. Kinds in neither list have no generation. */
const KINDS_COUNTING_SPEC_CHANGES = new Set(
  `Pod ReplicationController Deployment ReplicaSet StatefulSet DaemonSet Job CronJob Ingress IngressClass NetworkPolicy
   PodDisruptionBudget ResourceSlice DeviceClass FlowSchema PriorityLevelConfiguration ValidatingAdmissionPolicy
   ValidatingAdmissionPolicyBinding MutatingAdmissionPolicy MutatingAdmissionPolicyBinding CustomResourceDefinition`.split(/\s+/),
);
/** Kinds whose `metadata.generation` counts all changes outside of metadata. */
const KINDS_COUNTING_ALL_CHANGES = new Set(
  "PodTemplate EndpointSlice ValidatingWebhookConfiguration MutatingWebhookConfiguration".split(" "),
);

export function getGenerationMode(kind: string): "none" | "spec" | "all" {
  return KINDS_COUNTING_SPEC_CHANGES.has(kind) ? "spec" : KINDS_COUNTING_ALL_CHANGES.has(kind) ? "all" : "none";
}

/** Kinds whose updates must specify a resourceVersion. */
export const KINDS_WITHOUT_UNCONDITIONAL_UPDATE: ReadonlySet<string> = new Set(
  `ValidatingWebhookConfiguration MutatingWebhookConfiguration ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding
   MutatingAdmissionPolicy MutatingAdmissionPolicyBinding Lease RuntimeClass PodDisruptionBudget CSIDriver CSINode
   CSIStorageCapacity VolumeAttachment CustomResourceDefinition APIService`.split(/\s+/),
);

/** Kinds for which a PUT creates a missing object. */
export const KINDS_ALLOWING_CREATE_ON_UPDATE: ReadonlySet<string> = new Set(
  "Lease Endpoints Event LimitRange Service RuntimeClass ClusterRole ClusterRoleBinding Role RoleBinding".split(" "),
);

/** Kinds whose status subresource does not change metadata. */
export const KINDS_WITH_STATUS_ONLY_UPDATES: ReadonlySet<string> = new Set(
  `ServiceCIDR ResourceClaim VolumeAttachment FlowSchema PriorityLevelConfiguration ValidatingAdmissionPolicy
   CustomResourceDefinition APIService`.split(/\s+/),
);

/** Kinds for which DELETE returns the deleted object instead of a Status. */
export const KINDS_RETURNING_DELETED_OBJECTS: ReadonlySet<string> = new Set(
  `Namespace PersistentVolume PersistentVolumeClaim Pod PodTemplate ResourceQuota Service ServiceAccount CSIDriver CSINode
   StorageClass VolumeAttachment VolumeAttributesClass DeviceClass ResourceClaim ResourceClaimTemplate ResourceSlice`.split(/\s+/),
);

/** Warnings for requests of deprecated kinds. */
export const DEPRECATION_WARNINGS: Readonly<Record<string, string>> = {
  ComponentStatus: "v1 ComponentStatus is deprecated in v1.19+",
  Endpoints: "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice",
};

/** Storage versions of kinds with several versions. */
export const STORAGE_VERSIONS: Readonly<Record<string, string>> = { HorizontalPodAutoscaler: "v2" };

/** Groups whose objects are stored in another group. */
export const STORAGE_GROUPS: Readonly<Record<string, string>> = { "events.k8s.io": "" };

const RESOURCE_PREFIX_OVERRIDES: Readonly<Record<string, string>> = {
  replicationcontrollers: "controllers",
  endpoints: "services/endpoints",
  nodes: "minions",
  services: "services/specs",
  ingresses: "ingress",
};
/** Groups of the extension and aggregation layers, whose storage keys contain the group. */
const GROUPS_WITH_OWN_PREFIX = new Set(["apiextensions.k8s.io", "apiregistration.k8s.io"]);

/** Returns the storage prefix of a resource, which is that of kube-apiserver in etcd. */
export function getStoragePrefix(group: string, plural: string): string {
  return GROUPS_WITH_OWN_PREFIX.has(group) ? `/registry/${group}/${plural}` : `/registry/${RESOURCE_PREFIX_OVERRIDES[plural] ?? plural}`;
}

/** Groups and kinds whose finalizers need not be qualified names. */
const WITHOUT_FINALIZER_VALIDATION = new Set(
  `admissionregistration.k8s.io coordination.k8s.io node.k8s.io apiextensions.k8s.io apiregistration.k8s.io events.k8s.io
   Event PodDisruptionBudget`.split(/\s+/),
);

export function requiresQualifiedFinalizers(group: string, kind: string): boolean {
  return !WITHOUT_FINALIZER_VALIDATION.has(group) && !WITHOUT_FINALIZER_VALIDATION.has(kind);
}
