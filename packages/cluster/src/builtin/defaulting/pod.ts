import type {
  Container,
  EphemeralContainer,
  HTTPGetAction,
  Pod,
  PodSpec,
  PodStatus,
  Probe,
  ResourceRequirements,
  Volume,
  VolumeResourceRequirements,
} from "pintle/kinds/core/v1";
import type { Draft } from "../draft.ts";
import { addQuantities, isSubMilli, roundedUpToMilli } from "../quantities.ts";
import type { DefaultingFunctions } from "./struct-defaulter.ts";

export const podDefaults: DefaultingFunctions = {
  "core.v1.Pod": ({ spec }: Draft<Pod>) => {
    if (!spec) return;
    for (const container of [...(spec.containers ?? []), ...(spec.initContainers ?? [])]) {
      const { resources } = container;
      if (resources?.limits) resources.requests = { ...resources.limits, ...resources.requests };
      if (spec.hostNetwork) for (const port of container.ports ?? []) port.hostPort ||= port.containerPort;
    }
    if ((spec.terminationGracePeriodSeconds ?? 0) < 0) spec.terminationGracePeriodSeconds = 1;
    defaultPodRequests(spec);
    spec.enableServiceLinks ??= true;
  },
  "core.v1.PodSpec": (spec: Draft<PodSpec>) => {
    // serviceAccount is the deprecated alias of serviceAccountName.
    spec.serviceAccountName ||= spec.serviceAccount;
    if (spec.serviceAccountName) spec.serviceAccount = spec.serviceAccountName;
    else delete spec.serviceAccountName;
    spec.dnsPolicy ||= "ClusterFirst";
    spec.restartPolicy ||= "Always";
    spec.securityContext ??= {};
    spec.terminationGracePeriodSeconds ??= 30;
    spec.schedulerName ||= "default-scheduler";
  },
  "core.v1.PodStatus": (status: Draft<PodStatus>) => {
    if (status.podIP && !status.podIPs?.length) status.podIPs = [{ ip: status.podIP }];
    const [first] = status.podIPs ?? [];
    if (first?.ip) status.podIP = first.ip;
  },
  "core.v1.Container": defaultContainer,
  "core.v1.EphemeralContainer": defaultContainer,
  "core.v1.Probe": (probe: Draft<Probe>) => {
    probe.timeoutSeconds ||= 1;
    probe.periodSeconds ||= 10;
    probe.successThreshold ||= 1;
    probe.failureThreshold ||= 3;
  },
  "core.v1.HTTPGetAction": (action: Draft<HTTPGetAction>) => {
    action.path ||= "/";
    action.scheme ||= "HTTP";
  },
  "core.v1.Volume": (volume: Draft<Volume>) => {
    const { name: _, ...sources } = volume;
    if (Object.values(sources).every((source) => source === undefined || source === null)) volume.emptyDir = {};
    if (volume.image) volume.image.pullPolicy ||= getDefaultPullPolicy(volume.image.reference);
  },
  "core.v1.SecretVolumeSource": setDefaultMode,
  "core.v1.ConfigMapVolumeSource": setDefaultMode,
  "core.v1.DownwardAPIVolumeSource": setDefaultMode,
  "core.v1.ProjectedVolumeSource": setDefaultMode,
  "core.v1.ServiceAccountTokenProjection": (source: { expirationSeconds?: number }) => {
    source.expirationSeconds ??= 3600;
  },
  "core.v1.HostPathVolumeSource": (source: { type?: string }) => {
    source.type ??= "";
  },
  "core.v1.ObjectFieldSelector": (selector: { apiVersion?: string }) => {
    selector.apiVersion ||= "v1";
  },
  "core.v1.ResourceRequirements": roundResources,
  "core.v1.VolumeResourceRequirements": roundResources,
};

function defaultContainer(draft: Draft<Container> | Draft<EphemeralContainer>): void {
  draft.imagePullPolicy ||= getDefaultPullPolicy(draft.image);
  draft.terminationMessagePath ||= "/dev/termination-log";
  draft.terminationMessagePolicy ||= "File";
}

function getDefaultPullPolicy(image: string | null | undefined): string {
  return getImageTag(image ?? "") === "latest" ? "Always" : "IfNotPresent";
}

function setDefaultMode(source: { defaultMode?: number }): void {
  source.defaultMode ??= 0o644;
}

/** Rounds quantities up to milli-units. */
function roundResources({ limits, requests }: Draft<ResourceRequirements> | Draft<VolumeResourceRequirements>): void {
  for (const list of [limits, requests]) {
    for (const [name, value] of Object.entries(list ?? {})) {
      if (value && isSubMilli(value)) list![name] = roundedUpToMilli(value);
    }
  }
}

const POD_LEVEL_RESOURCE = /^(cpu|memory|hugepages-.*)$/;

/** Defaults pod-level requests to the sum of the container requests, or to the pod-level limits. */
function defaultPodRequests({ resources, containers }: Draft<PodSpec>): void {
  if (!resources?.limits || Object.keys(resources.limits).length === 0) return;
  const requests: Record<string, string | null | undefined> = { ...resources.requests };
  for (const each of containers ?? []) {
    for (const [name, value] of Object.entries(each.resources?.requests ?? {})) {
      if (!value || !/^(cpu|memory)$/.test(name) || resources.requests?.[name]) continue;
      requests[name] = requests[name] ? addQuantities(requests[name], value) : value;
    }
  }
  for (const [name, value] of Object.entries(resources.limits)) if (POD_LEVEL_RESOURCE.test(name)) requests[name] ??= value;
  if (Object.keys(requests).length > 0) resources.requests = requests;
}

/** A lower-case repository path after an optional registry, which contains a dot or a port, or is localhost. */
const REPOSITORY = /^(?:(?:localhost|[\w-]+(?:\.[\w-]+)+|[\w-]+(?=:\d))(?::\d+)?\/)?[a-z0-9]+(?:[._\-/]+[a-z0-9]+)*$/;

/** Leaves space for the default registry and path of a short name. */
const MAX_REPOSITORY_LENGTH = 255 - "docker.io/library/".length;

/** Returns the tag of an image reference; "latest" without tag and digest, "" if the reference is invalid. */
export function getImageTag(reference: string): string {
  const [name = "", digest] = reference.split("@");
  const [, repository = "", tag] = /^(.*?)(?::([\w][\w.-]*))?$/.exec(name) ?? [];
  if (!REPOSITORY.test(repository) || repository.length > MAX_REPOSITORY_LENGTH || /^[a-f0-9]{64}$/.test(repository)) return "";
  return tag ?? (digest === undefined ? "latest" : "");
}
