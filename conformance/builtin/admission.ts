/** What a stock server's admission adds to objects is not a matter of their kinds; without it, answers are. */
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
