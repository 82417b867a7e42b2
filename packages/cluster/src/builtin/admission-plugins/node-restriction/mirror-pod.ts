import type { Container, Node, Pod, Volume } from "pintle/kinds/core/v1";
import type { AdmissionRequest } from "../../../api/index.ts";
import { notFound } from "../../../status/index.ts";
import type { Unvalidated } from "../../draft.ts";
import { createForbiddenError, getStored } from "../resource-plugin.ts";
import type { NodeRestrictionDeps } from "./node-check.ts";

const MIRROR_ANNOTATION = "kubernetes.io/config.mirror";

/** Allows a node to create mirror pods that it owns and that reference no other objects. */
export async function admitMirrorPod(node: string, request: AdmissionRequest, { store }: NodeRestrictionDeps): Promise<void> {
  const pod = request.object as Unvalidated<Pod>;
  const createOwnNodeError = (what: string) =>
    createForbiddenError(request, `node "${node}" can only create pods with ${what} set to itself`);
  if (pod.metadata?.annotations?.[MIRROR_ANNOTATION] === undefined) {
    throw createForbiddenError(request, `pod does not have "${MIRROR_ANNOTATION}" annotation, node "${node}" can only create mirror pods`);
  }
  if (pod.spec?.nodeName !== node) throw createOwnNodeError("spec.nodeName");
  const [owner, ...others] = pod.metadata.ownerReferences ?? [];
  if (others.length > 0) throw createOwnNodeError("a single owner reference");
  if (owner?.apiVersion !== "v1" || owner.kind !== "Node" || owner.name !== node) throw createOwnNodeError("an owner reference");
  if (!owner.controller) throw createOwnNodeError("a controller owner reference");
  if (owner.blockOwnerDeletion) throw createForbiddenError(request, `node "${node}" must not set blockOwnerDeletion on an owner reference`);
  const self = await getStored<Node>(store, "", "nodes", node);
  if (self === undefined) throw notFound({ group: "", resource: "node" }, node);
  if (owner.uid !== self.metadata?.uid) {
    throw createForbiddenError(request, `node ${node} UID mismatch: expected ${owner.uid} got ${self.metadata?.uid}`);
  }
  const [named] = listReferencedResources(pod.spec);
  if (named !== undefined) throw createForbiddenError(request, `node "${node}" can not create pods that reference ${named}`);
}

type UnvalidatedPodSpec = NonNullable<Unvalidated<Pod>["spec"]>;

/** Yields the resources that a pod references, in the order of kube-apiserver. */
function* listReferencedResources(spec: UnvalidatedPodSpec): Iterable<string> {
  if (spec.serviceAccountName) yield "serviceaccounts";
  const volumes = spec.volumes ?? [];
  const sources = volumes.flatMap(({ projected }) => projected?.sources ?? []);
  const containers = [
    ...(spec.initContainers ?? []),
    ...(spec.containers ?? []),
    ...(spec.ephemeralContainers ?? []),
  ] as Unvalidated<Container>[];
  const env = containers.flatMap(({ env: all }) => (all ?? []).map(({ valueFrom }) => valueFrom));
  const envFrom = containers.flatMap(({ envFrom: all }) => all ?? []);
  if (
    spec.imagePullSecrets?.length ||
    volumes.some(hasSecretReference) ||
    sources.some(({ secret }) => secret) ||
    env.some((from) => from?.secretKeyRef) ||
    envFrom.some(({ secretRef }) => secretRef)
  ) {
    yield "secrets";
  }
  if (
    [...volumes, ...sources].some(({ configMap }) => configMap) ||
    env.some((from) => from?.configMapKeyRef) ||
    envFrom.some(({ configMapRef }) => configMapRef)
  ) {
    yield "configmaps";
  }
  if (sources.some(({ clusterTrustBundle }) => clusterTrustBundle)) yield "clustertrustbundles";
  if (volumes.some(({ persistentVolumeClaim }) => persistentVolumeClaim)) yield "persistentvolumeclaims";
  if (spec.resourceClaims?.length) yield "resourceclaims";
}

/** Returns whether a volume references a secret. */
function hasSecretReference(volume: Unvalidated<Volume>): boolean {
  if (volume.secret || volume.azureFile) return true;
  const { cephfs, cinder, flexVolume, iscsi, rbd, scaleIO, storageos, csi } = volume;
  const refs = [cephfs, cinder, flexVolume, iscsi, rbd, scaleIO, storageos].map((each) => each?.secretRef);
  return [...refs, csi?.nodePublishSecretRef].some((ref) => ref != null);
}
