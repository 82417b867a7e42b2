import type { PersistentVolume, Pod } from "pintle/kinds/core/v1";

/** Key of an object that a node may read: "secrets/default/token"; of a cluster-scoped one "persistentvolumes//data". */
export function formatReference(resource: string, namespace: string, name: string): string {
  return `${resource}/${namespace}/${name}`;
}

/** Lists the objects that a kubelet needs to run a pod. A mirror pod gives access to none: the kubelet creates those itself. */
export function* listPodReferences({ metadata, spec, status }: Pod): Iterable<string> {
  if (spec === undefined || metadata.annotations?.[MIRROR_POD] !== undefined) return;
  const { namespace } = metadata;
  for (const [resource, name] of listNames()) if (name) yield formatReference(resource, namespace, name);

  function* listNames(): Iterable<readonly [resource: string, name: string | undefined]> {
    yield ["serviceaccounts", spec?.serviceAccountName];
    for (const { name } of spec?.imagePullSecrets ?? []) yield ["secrets", name];
    for (const container of [...(spec?.initContainers ?? []), ...(spec?.containers ?? []), ...(spec?.ephemeralContainers ?? [])])
      yield* listContainerNames(container);
    for (const volume of spec?.volumes ?? []) yield* listVolumeNames(volume, metadata.name);
    const generated = new Map((status?.resourceClaimStatuses ?? []).map((each) => [each.name, each.resourceClaimName]));
    for (const claim of spec?.resourceClaims ?? []) yield ["resourceclaims", claim.resourceClaimName ?? generated.get(claim.name)];
    yield ["resourceclaims", status?.extendedResourceClaimStatus?.resourceClaimName];
  }
}

const MIRROR_POD = "kubernetes.io/config.mirror";

type PodSpec = NonNullable<Pod["spec"]>;
type Container = Pick<PodSpec["containers"][number], "env" | "envFrom">;
type Volume = NonNullable<PodSpec["volumes"]>[number];

function* listContainerNames({ env = [], envFrom = [] }: Container): Iterable<readonly [string, string | undefined]> {
  for (const { secretRef, configMapRef } of envFrom) {
    yield ["secrets", secretRef?.name];
    yield ["configmaps", configMapRef?.name];
  }
  for (const { valueFrom } of env) {
    yield ["secrets", valueFrom?.secretKeyRef?.name];
    yield ["configmaps", valueFrom?.configMapKeyRef?.name];
  }
}

function* listVolumeNames(volume: Volume, pod: string): Iterable<readonly [string, string | undefined]> {
  yield ["configmaps", volume.configMap?.name];
  yield ["secrets", volume.secret?.secretName];
  for (const { secret, configMap } of volume.projected?.sources ?? []) {
    yield ["secrets", secret?.name];
    yield ["configmaps", configMap?.name];
  }
  yield ["persistentvolumeclaims", volume.persistentVolumeClaim?.claimName];
  if (volume.ephemeral !== undefined) yield ["persistentvolumeclaims", `${pod}-${volume.name}`];
  yield ["secrets", volume.azureFile?.secretName];
  yield ["secrets", volume.csi?.nodePublishSecretRef?.name];
  const { cephfs, cinder, flexVolume, rbd, scaleIO, iscsi, storageos } = volume;
  for (const source of [cephfs, cinder, flexVolume, rbd, scaleIO, iscsi, storageos]) yield ["secrets", source?.secretRef?.name];
}

/** Lists the Secrets that a kubelet needs to mount a volume; those of the other parts of a CSI driver are not for it. */
export function* listVolumeSecrets({ spec }: PersistentVolume): Iterable<string> {
  const claimNamespace = spec?.claimRef?.namespace ?? "";
  const { azureFile, csi, cephfs, cinder, flexVolume, rbd, scaleIO, iscsi, storageos } = spec ?? {};
  const references = [
    { name: azureFile?.secretName, namespace: azureFile?.secretNamespace },
    csi?.nodePublishSecretRef,
    csi?.nodeStageSecretRef,
    csi?.nodeExpandSecretRef,
    ...[cephfs, cinder, flexVolume, rbd, scaleIO, iscsi, storageos].map((source) => source?.secretRef),
  ];
  for (const reference of references) {
    if (reference?.name) yield formatReference("secrets", reference.namespace || claimNamespace, reference.name);
  }
}
