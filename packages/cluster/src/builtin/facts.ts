/** Facts about built-in kinds that fit in a table. */

/** `metadata.generation` counts changes of the spec. Kinds that are in no list have no generation. */
const COUNT_SPEC = new Set(
  `Pod ReplicationController Deployment ReplicaSet StatefulSet DaemonSet Job CronJob Ingress IngressClass NetworkPolicy
   PodDisruptionBudget ResourceSlice DeviceClass FlowSchema PriorityLevelConfiguration ValidatingAdmissionPolicy
   ValidatingAdmissionPolicyBinding MutatingAdmissionPolicy MutatingAdmissionPolicyBinding CustomResourceDefinition`.split(/\s+/),
);
/** ... of anything outside metadata. */
const COUNT_ALL = new Set("PodTemplate EndpointSlice ValidatingWebhookConfiguration MutatingWebhookConfiguration".split(" "));

export function generationOf(kind: string): "none" | "spec" | "all" {
  return COUNT_SPEC.has(kind) ? "spec" : COUNT_ALL.has(kind) ? "all" : "none";
}

/** A PUT must say which version of the object it replaces. */
export const CONDITIONAL_UPDATE: ReadonlySet<string> = new Set(
  `ValidatingWebhookConfiguration MutatingWebhookConfiguration ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding
   MutatingAdmissionPolicy MutatingAdmissionPolicyBinding Lease RuntimeClass PodDisruptionBudget CSIDriver CSINode
   CSIStorageCapacity VolumeAttachment CustomResourceDefinition APIService`.split(/\s+/),
);

/** A PUT of a missing object creates it. */
export const CREATE_ON_UPDATE: ReadonlySet<string> = new Set(
  "Lease Endpoints Event LimitRange Service RuntimeClass ClusterRole ClusterRoleBinding Role RoleBinding".split(" "),
);

/** A write to /status changes nothing else, not even metadata; of other kinds it may change that too. */
export const STATUS_ONLY: ReadonlySet<string> = new Set(
  `ServiceCIDR ResourceClaim VolumeAttachment FlowSchema PriorityLevelConfiguration ValidatingAdmissionPolicy
   CustomResourceDefinition APIService`.split(/\s+/),
);

/** A delete is answered with the object that is gone; of other kinds with a Status. */
export const RETURNS_DELETED: ReadonlySet<string> = new Set(
  `Namespace PersistentVolume PersistentVolumeClaim Pod PodTemplate ResourceQuota Service ServiceAccount CSIDriver CSINode
   StorageClass VolumeAttachment VolumeAttributesClass DeviceClass ResourceClaim ResourceClaimTemplate ResourceSlice`.split(/\s+/),
);

/** Said to whoever uses the kind. */
export const DEPRECATED: Readonly<Record<string, string>> = {
  ComponentStatus: "v1 ComponentStatus is deprecated in v1.19+",
  Endpoints: "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice",
};

/** The version objects are stored in, where a resource has several. */
export const STORAGE_VERSION: Readonly<Record<string, string>> = { HorizontalPodAutoscaler: "v2" };

/** Groups whose objects are kept as those of another. */
export const STORAGE_GROUP: Readonly<Record<string, string>> = { "events.k8s.io": "" };

const SPECIAL_PREFIXES: Readonly<Record<string, string>> = {
  replicationcontrollers: "controllers",
  endpoints: "services/endpoints",
  nodes: "minions",
  services: "services/specs",
  ingresses: "ingress",
};
/** Groups served by the extension and aggregation layers, whose keys carry the group. */
const WITH_GROUP = new Set(["apiextensions.k8s.io", "apiregistration.k8s.io"]);

/** Where etcd has the objects of a resource. */
export function storagePrefix(group: string, plural: string): string {
  return WITH_GROUP.has(group) ? `/registry/${group}/${plural}` : `/registry/${SPECIAL_PREFIXES[plural] ?? plural}`;
}

/** Groups and kinds whose finalizers need no domain; of all others those without one are the server's own. */
const ANY_FINALIZER = new Set(
  `admissionregistration.k8s.io coordination.k8s.io node.k8s.io apiextensions.k8s.io apiregistration.k8s.io events.k8s.io
   Event PodDisruptionBudget`.split(/\s+/),
);

export function needsFinalizerDomain(group: string, kind: string): boolean {
  return !ANY_FINALIZER.has(group) && !ANY_FINALIZER.has(kind);
}
