/** Admission plugins that change objects, disabled so that responses depend only on the kinds. */
export const disableAdmissionPlugins = [
  "ServiceAccount",
  "DefaultTolerationSeconds",
  "TaintNodesByCondition",
  "Priority",
  "StorageObjectInUseProtection",
  "DefaultStorageClass",
  "DefaultIngressClass",
  "RuntimeClass",
  "PodTopologyLabels",
  "PersistentVolumeClaimResize",
];
