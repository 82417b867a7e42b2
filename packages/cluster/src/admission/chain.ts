import type { AdmissionPlugin } from "../api/index.ts";

/** Which of the server's own admission plugins run, by the names of --enable-admission-plugins and its counterpart. */
export interface PluginChoice {
  /** Beyond those that run anyway. */
  readonly enable?: readonly string[] | undefined;
  readonly disable?: readonly string[] | undefined;
}

/** Every plugin of kube-apiserver, in the order in which they run. */
export const ADMISSION_PLUGINS: readonly string[] = [
  "AlwaysAdmit",
  "NamespaceAutoProvision",
  "NamespaceLifecycle",
  "NamespaceExists",
  "LimitPodHardAntiAffinityTopology",
  "LimitRanger",
  "ServiceAccount",
  "NodeRestriction",
  "TaintNodesByCondition",
  "AlwaysPullImages",
  "ImagePolicyWebhook",
  "PodSecurity",
  "PodNodeSelector",
  "Priority",
  "DefaultTolerationSeconds",
  "PodTolerationRestriction",
  "EventRateLimit",
  "ExtendedResourceToleration",
  "DefaultStorageClass",
  "StorageObjectInUseProtection",
  "PodGroupProtection",
  "OwnerReferencesPermissionEnforcement",
  "PersistentVolumeClaimResize",
  "RuntimeClass",
  "CertificateApproval",
  "CertificateSigning",
  "ClusterTrustBundleAttest",
  "CertificateSubjectRestriction",
  "DefaultIngressClass",
  "DenyServiceExternalIPs",
  "PodTopologyLabels",
  "PodGroupWorkloadExists",
  "NodeDeclaredFeatureValidator",
  "JobValidation",
  "PodResizeValidator",
  "MutatingAdmissionPolicy",
  "MutatingAdmissionWebhook",
  "ValidatingAdmissionPolicy",
  "ValidatingAdmissionWebhook",
  "ResourceQuota",
  "AlwaysDeny",
];
/** Others run before what users can configure. */
const OTHERS = ADMISSION_PLUGINS.indexOf("MutatingAdmissionPolicy") - 0.5;
/** Those that have to be asked for. */
const OFF: ReadonlySet<string> = new Set([
  "AlwaysPullImages",
  "DenyServiceExternalIPs",
  "ExtendedResourceToleration",
  "LimitPodHardAntiAffinityTopology",
  "NodeRestriction",
  "OwnerReferencesPermissionEnforcement",
  "PodNodeSelector",
  "PodTolerationRestriction",
]);

/** Plugins that run, each in its place. Throws for a name that is none. */
export function chain(plugins: readonly AdmissionPlugin[], choice: PluginChoice = {}): readonly AdmissionPlugin[] {
  checkChoice(choice);
  const { enable = [], disable = [] } = choice;
  const runs = ({ name }: AdmissionPlugin) => !disable.includes(name) && (!OFF.has(name) || enable.includes(name));
  const place = ({ name }: AdmissionPlugin) => {
    const at = ADMISSION_PLUGINS.indexOf(name);
    return at < 0 ? OTHERS : at;
  };
  return plugins.filter(runs).sort((a, b) => place(a) - place(b));
}

function checkChoice({ enable = [], disable = [] }: PluginChoice): void {
  for (const [list, names] of Object.entries({ enable, disable })) {
    const unknown = names.find((name) => !ADMISSION_PLUGINS.includes(name));
    if (unknown !== undefined) throw new RangeError(`${list}-admission-plugins plugin ${JSON.stringify(unknown)} is unknown`);
  }
  const both = enable.filter((name) => disable.includes(name));
  if (both.length > 0) throw new RangeError(`[${both.join(" ")}] in enable-admission-plugins and disable-admission-plugins overlapped`);
}
