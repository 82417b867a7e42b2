import { conjugateUse } from "./baseline.ts";
import {
  type AnyContainer,
  formatNamed,
  formatSetters,
  hasUserNamespace,
  isWindows,
  listContainers,
  namesOfContainers,
  type PodSecurityCheck,
  pluralize,
  quoteAll,
  sortUnique,
} from "./check.ts";

export const checkAllowPrivilegeEscalation: PodSecurityCheck = (subject) => {
  if (subject.version < 8 || isWindows(subject)) return undefined;
  const bad = namesOfContainers(subject.spec, ({ securityContext }) => securityContext?.allowPrivilegeEscalation !== false);
  return bad.length === 0
    ? undefined
    : {
        reason: "allowPrivilegeEscalation != false",
        detail: `${formatNamed("container", bad)} must set securityContext.allowPrivilegeEscalation=false`,
      };
};

export const checkCapabilities: PodSecurityCheck = (subject) => {
  if (isWindows(subject)) return undefined;
  const { spec } = subject;
  const listForbiddenCapabilities = ({ securityContext }: AnyContainer) =>
    (securityContext?.capabilities?.add ?? []).filter((each) => each !== "NET_BIND_SERVICE");
  const keeping = namesOfContainers(spec, ({ securityContext }) => !(securityContext?.capabilities?.drop ?? []).includes("ALL"));
  const adding = namesOfContainers(spec, (each) => listForbiddenCapabilities(each).length > 0);
  const details = [
    ...(keeping.length === 0 ? [] : [`${formatNamed("container", keeping)} must set securityContext.capabilities.drop=["ALL"]`]),
    ...(adding.length === 0
      ? []
      : [
          `${formatNamed("container", adding)} must not include ${quoteAll(sortUnique(listContainers(spec).flatMap(listForbiddenCapabilities)))} in securityContext.capabilities.add`,
        ]),
  ];
  return details.length === 0 ? undefined : { reason: "unrestricted capabilities", detail: details.join("; ") };
};

const ALLOWED_VOLUME_TYPES = "configMap csi downwardAPI emptyDir ephemeral image persistentVolumeClaim projected secret".split(" ");
const RESTRICTED_VOLUME_TYPES =
  "hostPath gcePersistentDisk awsElasticBlockStore gitRepo nfs iscsi glusterfs rbd flexVolume cinder cephfs flocker fc azureFile vsphereVolume quobyte azureDisk photonPersistentDisk portworxVolume scaleIO storageos".split(
    " ",
  );

export const checkRestrictedVolumes: PodSecurityCheck = ({ spec }) => {
  const hasType = (volume: object, type: string) => (volume as Readonly<Record<string, unknown>>)[type] != null;
  const bad = (spec.volumes ?? []).filter((volume) => !ALLOWED_VOLUME_TYPES.some((type) => hasType(volume, type)));
  if (bad.length === 0) return undefined;
  const names = bad.map(({ name }) => name ?? "");
  const types = sortUnique(bad.map((volume) => RESTRICTED_VOLUME_TYPES.find((type) => hasType(volume, type)) ?? "unknown"));
  return {
    reason: "restricted volume types",
    detail: `${formatNamed("volume", names)} ${conjugateUse(names)} ${pluralize("restricted volume type", types.length)} ${quoteAll(types)}`,
  };
};

export const checkRunAsNonRoot: PodSecurityCheck = (subject) => {
  if (hasUserNamespace(subject)) return undefined;
  const { spec } = subject;
  const reason = "runAsNonRoot != true";
  const pod = spec.securityContext?.runAsNonRoot;
  const asRoot = namesOfContainers(spec, ({ securityContext }) => securityContext?.runAsNonRoot === false);
  if (pod === false || asRoot.length > 0) {
    return { reason, detail: `${formatSetters(pod === false, asRoot)} must not set securityContext.runAsNonRoot=false` };
  }
  const unset = pod === true ? [] : namesOfContainers(spec, ({ securityContext }) => securityContext?.runAsNonRoot == null);
  return unset.length === 0
    ? undefined
    : { reason, detail: `pod or ${formatNamed("container", unset)} must set securityContext.runAsNonRoot=true` };
};

export const checkRunAsUser: PodSecurityCheck = (subject) => {
  if (subject.version < 23 || hasUserNamespace(subject)) return undefined;
  const pod = subject.spec.securityContext?.runAsUser === 0;
  const bad = namesOfContainers(subject.spec, ({ securityContext }) => securityContext?.runAsUser === 0);
  return !pod && bad.length === 0 ? undefined : { reason: "runAsUser=0", detail: `${formatSetters(pod, bad)} must not set runAsUser=0` };
};

/** Requires that the pod or all of its containers set a seccomp profile. */
export const checkSeccompProfile: PodSecurityCheck = (subject) => {
  if (isWindows(subject)) return undefined;
  const { spec } = subject;
  if (spec.securityContext?.seccompProfile != null) return undefined;
  const unset = namesOfContainers(spec, ({ securityContext }) => securityContext?.seccompProfile == null);
  if (unset.length === 0) return undefined;
  const detail = `pod or ${formatNamed("container", unset)} must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"`;
  return { reason: "seccompProfile", detail };
};
