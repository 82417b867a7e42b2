import type { Metadata } from "pintle/kinds";
import { StatefulSet } from "pintle/kinds/apps/v1";
import type { PersistentVolumeClaim, Pod, PodTemplateSpec, Volume } from "pintle/kinds/core/v1";
import { controlledBy } from "../owner.ts";

export const REVISION_LABEL = "controller-revision-hash";
const POD_NAME = "statefulset.kubernetes.io/pod-name";
const POD_INDEX = "apps.kubernetes.io/pod-index";

export interface NewPod {
  readonly metadata: Pick<Metadata, "name" | "generateName" | "labels" | "annotations" | "finalizers" | "ownerReferences"> & {
    readonly namespace: string;
  };
  readonly spec: Pod["spec"];
}

/** The pod of one ordinal: its name, its labels, its place in the service, its volumes. Pure. */
export function podOf(set: StatefulSet, ordinal: number, template: PodTemplateSpec, revision: string): NewPod {
  const name = `${set.metadata.name}-${ordinal}`;
  const { labels, annotations, finalizers } = template.metadata ?? {};
  return {
    metadata: {
      name,
      generateName: `${set.metadata.name}-`,
      namespace: set.metadata.namespace,
      labels: { ...labels, [POD_NAME]: name, [POD_INDEX]: String(ordinal), [REVISION_LABEL]: revision },
      annotations,
      finalizers,
      ownerReferences: [controlledBy(StatefulSet, set)],
    },
    spec: {
      ...(template.spec ?? { containers: [] }),
      hostname: name,
      ...(set.spec.serviceName ? { subdomain: set.spec.serviceName } : {}),
      ...volumesOf(set, ordinal, template),
    },
  };
}

function volumesOf(set: StatefulSet, ordinal: number, template: PodTemplateSpec): { readonly volumes?: readonly Volume[] } {
  const claims = (set.spec.volumeClaimTemplates ?? []).map((claim): Volume => {
    const name = claim.metadata?.name ?? "";
    return { name, persistentVolumeClaim: { claimName: claimName(set, name, ordinal), readOnly: false } };
  });
  const others = (template.spec?.volumes ?? []).filter(({ name }) => !claims.some((claim) => claim.name === name));
  const volumes = [...claims, ...others];
  return volumes.length === 0 ? {} : { volumes };
}

export const claimName = (set: StatefulSet, template: string, ordinal: number) => `${template}-${set.metadata.name}-${ordinal}`;

export type NewClaim = Pick<PersistentVolumeClaim, "spec"> & {
  readonly metadata: Pick<Metadata, "name" | "labels" | "annotations"> & { readonly namespace: string };
};

/** The claims of one ordinal. */
export function claimsOf(set: StatefulSet, ordinal: number): readonly NewClaim[] {
  return (set.spec.volumeClaimTemplates ?? []).map(({ metadata = {}, spec }) => ({
    metadata: {
      name: claimName(set, metadata.name ?? "", ordinal),
      namespace: set.metadata.namespace,
      labels: { ...metadata.labels, ...set.spec.selector.matchLabels },
      annotations: metadata.annotations,
    },
    spec: spec ?? {},
  }));
}
