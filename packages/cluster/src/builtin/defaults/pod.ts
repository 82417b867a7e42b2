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
import { imageTag } from "../text/image.ts";
import { addQuantities, isSubMilli, roundedUpToMilli } from "../text/quantities.ts";
import type { DefaultTable } from "./defaulter.ts";

export const podDefaults: DefaultTable = {
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
    // Two names for one field.
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
  "core.v1.Container": container,
  "core.v1.EphemeralContainer": container,
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
    if (volume.image) volume.image.pullPolicy ||= pullPolicy(volume.image.reference);
  },
  "core.v1.SecretVolumeSource": defaultMode,
  "core.v1.ConfigMapVolumeSource": defaultMode,
  "core.v1.DownwardAPIVolumeSource": defaultMode,
  "core.v1.ProjectedVolumeSource": defaultMode,
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

function container(draft: Draft<Container> | Draft<EphemeralContainer>): void {
  draft.imagePullPolicy ||= pullPolicy(draft.image);
  draft.terminationMessagePath ||= "/dev/termination-log";
  draft.terminationMessagePolicy ||= "File";
}

function pullPolicy(image: string | null | undefined): string {
  return imageTag(image ?? "") === "latest" ? "Always" : "IfNotPresent";
}

function defaultMode(source: { defaultMode?: number }): void {
  source.defaultMode ??= 0o644;
}

/** Nothing finer than a milli is kept. */
function roundResources({ limits, requests }: Draft<ResourceRequirements> | Draft<VolumeResourceRequirements>): void {
  for (const list of [limits, requests]) {
    for (const [name, value] of Object.entries(list ?? {})) {
      if (value && isSubMilli(value)) list![name] = roundedUpToMilli(value);
    }
  }
}

const POD_LEVEL = /^(cpu|memory|hugepages-.*)$/;

/** With limits for the whole pod: what containers ask for together, or the limit itself, is what the pod asks for. */
function defaultPodRequests({ resources, containers }: Draft<PodSpec>): void {
  if (!resources?.limits || Object.keys(resources.limits).length === 0) return;
  const requests: Record<string, string | null | undefined> = { ...resources.requests };
  for (const each of containers ?? []) {
    for (const [name, value] of Object.entries(each.resources?.requests ?? {})) {
      if (!value || !/^(cpu|memory)$/.test(name) || resources.requests?.[name]) continue;
      requests[name] = requests[name] ? addQuantities(requests[name], value) : value;
    }
  }
  for (const [name, value] of Object.entries(resources.limits)) if (POD_LEVEL.test(name)) requests[name] ??= value;
  if (Object.keys(requests).length > 0) resources.requests = requests;
}
