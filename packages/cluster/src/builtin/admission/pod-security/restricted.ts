import { uses } from "./baseline.ts";
import {
  type AnyContainer,
  type Check,
  containersOf,
  hasOwnUsers,
  isWindows,
  named,
  plural,
  quoted,
  setters,
  sorted,
  those,
} from "./check.ts";

export const allowPrivilegeEscalation: Check = (subject) => {
  if (subject.version < 8 || isWindows(subject)) return undefined;
  const bad = those(subject.spec, ({ securityContext }) => securityContext?.allowPrivilegeEscalation !== false);
  return bad.length === 0
    ? undefined
    : {
        reason: "allowPrivilegeEscalation != false",
        detail: `${named("container", bad)} must set securityContext.allowPrivilegeEscalation=false`,
      };
};

export const capabilities: Check = (subject) => {
  if (isWindows(subject)) return undefined;
  const { spec } = subject;
  const added = ({ securityContext }: AnyContainer) =>
    (securityContext?.capabilities?.add ?? []).filter((each) => each !== "NET_BIND_SERVICE");
  const keeping = those(spec, ({ securityContext }) => !(securityContext?.capabilities?.drop ?? []).includes("ALL"));
  const adding = those(spec, (each) => added(each).length > 0);
  const details = [
    ...(keeping.length === 0 ? [] : [`${named("container", keeping)} must set securityContext.capabilities.drop=["ALL"]`]),
    ...(adding.length === 0
      ? []
      : [
          `${named("container", adding)} must not include ${quoted(sorted(containersOf(spec).flatMap(added)))} in securityContext.capabilities.add`,
        ]),
  ];
  return details.length === 0 ? undefined : { reason: "unrestricted capabilities", detail: details.join("; ") };
};

const ALLOWED = "configMap csi downwardAPI emptyDir ephemeral image persistentVolumeClaim projected secret".split(" ");
const KNOWN =
  "hostPath gcePersistentDisk awsElasticBlockStore gitRepo nfs iscsi glusterfs rbd flexVolume cinder cephfs flocker fc azureFile vsphereVolume quobyte azureDisk photonPersistentDisk portworxVolume scaleIO storageos".split(
    " ",
  );

export const restrictedVolumes: Check = ({ spec }) => {
  const has = (volume: object, type: string) => (volume as Readonly<Record<string, unknown>>)[type] != null;
  const bad = (spec.volumes ?? []).filter((volume) => !ALLOWED.some((type) => has(volume, type)));
  if (bad.length === 0) return undefined;
  const names = bad.map(({ name }) => name ?? "");
  const types = sorted(bad.map((volume) => KNOWN.find((type) => has(volume, type)) ?? "unknown"));
  return {
    reason: "restricted volume types",
    detail: `${named("volume", names)} ${uses(names)} ${plural("restricted volume type", types.length)} ${quoted(types)}`,
  };
};

export const runAsNonRoot: Check = (subject) => {
  if (hasOwnUsers(subject)) return undefined;
  const { spec } = subject;
  const reason = "runAsNonRoot != true";
  const pod = spec.securityContext?.runAsNonRoot;
  const asRoot = those(spec, ({ securityContext }) => securityContext?.runAsNonRoot === false);
  if (pod === false || asRoot.length > 0) {
    return { reason, detail: `${setters(pod === false, asRoot)} must not set securityContext.runAsNonRoot=false` };
  }
  const silent = pod === true ? [] : those(spec, ({ securityContext }) => securityContext?.runAsNonRoot == null);
  return silent.length === 0
    ? undefined
    : { reason, detail: `pod or ${named("container", silent)} must set securityContext.runAsNonRoot=true` };
};

export const runAsUser: Check = (subject) => {
  if (subject.version < 23 || hasOwnUsers(subject)) return undefined;
  const pod = subject.spec.securityContext?.runAsUser === 0;
  const bad = those(subject.spec, ({ securityContext }) => securityContext?.runAsUser === 0);
  return !pod && bad.length === 0 ? undefined : { reason: "runAsUser=0", detail: `${setters(pod, bad)} must not set runAsUser=0` };
};

/** Where containers set nothing wrong, somebody must still set something right. */
export const seccompProfile: Check = (subject) => {
  if (isWindows(subject)) return undefined;
  const { spec } = subject;
  if (spec.securityContext?.seccompProfile != null) return undefined;
  const silent = those(spec, ({ securityContext }) => securityContext?.seccompProfile == null);
  if (silent.length === 0) return undefined;
  const detail = `pod or ${named("container", silent)} must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"`;
  return { reason: "seccompProfile", detail };
};
