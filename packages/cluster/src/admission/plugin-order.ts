import { InvalidArgumentError } from "pintle/internal/errors";
import type { AdmissionPlugin } from "../api/index.ts";

/** Built-in admission plugins to enable or disable, by the names of --enable-admission-plugins and --disable-admission-plugins. */
export interface AdmissionPluginOptions {
  /** Plugins to enable in addition to the default ones. Default: none. */
  readonly enable?: readonly string[] | undefined;
  /** Plugins to disable. Default: none. */
  readonly disable?: readonly string[] | undefined;
}

/** Every plugin of kube-apiserver, in execution order. */
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
/** Custom plugins run before policies and webhooks. */
const CUSTOM_PLUGIN_POSITION = ADMISSION_PLUGINS.indexOf("MutatingAdmissionPolicy") - 0.5;
/** Plugins that are disabled by default. */
const DISABLED_BY_DEFAULT: ReadonlySet<string> = new Set([
  "AlwaysDeny",
  "AlwaysPullImages",
  "DenyServiceExternalIPs",
  "EventRateLimit",
  "ExtendedResourceToleration",
  "ImagePolicyWebhook",
  "LimitPodHardAntiAffinityTopology",
  "NamespaceAutoProvision",
  "NamespaceExists",
  "NodeRestriction",
  "OwnerReferencesPermissionEnforcement",
  "PodNodeSelector",
  "PodTolerationRestriction",
]);

/** Returns the enabled plugins in execution order. Throws `InvalidArgumentError` for an unknown name. */
export function orderAdmissionPlugins(
  plugins: readonly AdmissionPlugin[],
  options: AdmissionPluginOptions = {},
): readonly AdmissionPlugin[] {
  checkPluginOptions(options);
  const { enable = [], disable = [] } = options;
  const isEnabled = ({ name }: AdmissionPlugin) => !disable.includes(name) && (!DISABLED_BY_DEFAULT.has(name) || enable.includes(name));
  const positionOf = ({ name }: AdmissionPlugin) => {
    const at = ADMISSION_PLUGINS.indexOf(name);
    return at < 0 ? CUSTOM_PLUGIN_POSITION : at;
  };
  return plugins.filter(isEnabled).sort((a, b) => positionOf(a) - positionOf(b));
}

function checkPluginOptions({ enable = [], disable = [] }: AdmissionPluginOptions): void {
  for (const [list, names] of Object.entries({ enable, disable })) {
    const unknown = names.find((name) => !ADMISSION_PLUGINS.includes(name));
    if (unknown !== undefined)
      throw new InvalidArgumentError("PINTLE6002", `${list}-admission-plugins plugin ${JSON.stringify(unknown)} is unknown`);
  }
  const both = enable.filter((name) => disable.includes(name));
  if (both.length > 0)
    throw new InvalidArgumentError(
      "PINTLE6002",
      `[${both.join(" ")}] in enable-admission-plugins and disable-admission-plugins overlapped`,
    );
}
