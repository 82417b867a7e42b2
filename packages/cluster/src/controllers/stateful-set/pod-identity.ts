import { canonicalJson } from "pintle/internal/merge";
import type { Metadata, OwnerReference } from "pintle/kinds";
import { StatefulSet } from "pintle/kinds/apps/v1";
import { type PersistentVolumeClaim, Pod, type PodTemplateSpec, type Volume } from "pintle/kinds/core/v1";
import { buildControllerRef } from "../shared/owner-reference.ts";

export const REVISION_LABEL = "controller-revision-hash";
const POD_NAME_LABEL = "statefulset.kubernetes.io/pod-name";
const POD_INDEX_LABEL = "apps.kubernetes.io/pod-index";

export interface NewPod {
  readonly metadata: Pick<Metadata, "name" | "generateName" | "labels" | "annotations" | "finalizers" | "ownerReferences"> & {
    readonly namespace: string;
  };
  readonly spec: Pod["spec"];
}

/** Builds the pod of one ordinal: name, labels, subdomain and volumes. Pure. */
export function buildPod(set: StatefulSet, ordinal: number, template: PodTemplateSpec, revision: string): NewPod {
  const name = `${set.metadata.name}-${ordinal}`;
  const { labels, annotations, finalizers } = template.metadata ?? {};
  return {
    metadata: {
      name,
      generateName: `${set.metadata.name}-`,
      namespace: set.metadata.namespace,
      labels: { ...labels, [POD_NAME_LABEL]: name, [POD_INDEX_LABEL]: String(ordinal), [REVISION_LABEL]: revision },
      annotations,
      finalizers,
      ownerReferences: [buildControllerRef(StatefulSet, set)],
    },
    spec: {
      ...(template.spec ?? { containers: [] }),
      hostname: name,
      ...(set.spec.serviceName ? { subdomain: set.spec.serviceName } : {}),
      ...buildVolumes(set, ordinal, template),
    },
  };
}

function buildVolumes(set: StatefulSet, ordinal: number, template: PodTemplateSpec): { readonly volumes?: readonly Volume[] } {
  const claims = (set.spec.volumeClaimTemplates ?? []).map((claim): Volume => {
    const name = claim.metadata?.name ?? "";
    return { name, persistentVolumeClaim: { claimName: getClaimName(set, name, ordinal), readOnly: false } };
  });
  const others = (template.spec?.volumes ?? []).filter(({ name }) => !claims.some((claim) => claim.name === name));
  const volumes = [...claims, ...others];
  return volumes.length === 0 ? {} : { volumes };
}

export const getClaimName = (set: StatefulSet, template: string, ordinal: number) => `${template}-${set.metadata.name}-${ordinal}`;

export type NewClaim = Pick<PersistentVolumeClaim, "spec"> & {
  readonly metadata: Pick<Metadata, "name" | "labels" | "annotations"> & { readonly namespace: string };
};

/** Builds the claims of one ordinal. */
export function buildClaims(set: StatefulSet, ordinal: number): readonly NewClaim[] {
  return (set.spec.volumeClaimTemplates ?? []).map(({ metadata = {}, spec }) => ({
    metadata: {
      name: getClaimName(set, metadata.name ?? "", ordinal),
      namespace: set.metadata.namespace,
      labels: { ...metadata.labels, ...set.spec.selector.matchLabels },
      annotations: metadata.annotations,
    },
    spec: spec ?? {},
  }));
}

/**
 * Computes the owners of a claim by the retention policy; undefined if they are already set. A claim controlled by another object keeps its
 * owners. Pure.
 */
export function computeClaimOwners(
  set: StatefulSet,
  claim: PersistentVolumeClaim,
  pod: Pod,
  scaledDown: boolean,
): readonly OwnerReference[] | undefined {
  const had = claim.metadata.ownerReferences ?? [];
  const isOurs = ({ kind, name }: OwnerReference) =>
    (kind === "StatefulSet" && name === set.metadata.name) || (kind === "Pod" && name === pod.metadata.name);
  const others = had.filter((owner) => !isOurs(owner));
  if (others.some(({ controller }) => controller))
    return canonicalJson(others as never) === canonicalJson(had as never) ? undefined : others;
  const { whenDeleted = "Retain", whenScaled = "Retain" } = set.spec.persistentVolumeClaimRetentionPolicy ?? {};
  const owner =
    whenScaled === "Delete" && scaledDown
      ? buildControllerRef(Pod, pod)
      : whenDeleted === "Delete" && !scaledDown
        ? buildControllerRef(StatefulSet, set)
        : whenDeleted === "Delete" && whenScaled === "Retain"
          ? buildControllerRef(StatefulSet, set)
          : undefined;
  const wanted = owner === undefined ? others : [...others, owner];
  return canonicalJson(wanted as never) === canonicalJson(had as never) ? undefined : wanted;
}
