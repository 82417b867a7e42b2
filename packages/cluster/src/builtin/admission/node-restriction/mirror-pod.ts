import type { Container, Node, Pod, Volume } from "pintle/kinds/core/v1";
import type { AdmissionRequest } from "../../../api/index.ts";
import { notFound } from "../../../status/index.ts";
import type { Loose } from "../../draft.ts";
import { refusal, storedOne } from "../plugin.ts";
import type { Around } from "./node-rule.ts";

const MIRROR = "kubernetes.io/config.mirror";

/** A node shows its static pods, as its own, and they name nothing that is kept in the cluster. */
export async function mirrorPod(node: string, request: AdmissionRequest, { store }: Around): Promise<void> {
  const pod = request.object as Loose<Pod>;
  const only = (what: string) => refusal(request, `node "${node}" can only create pods with ${what} set to itself`);
  if (pod.metadata?.annotations?.[MIRROR] === undefined) {
    throw refusal(request, `pod does not have "${MIRROR}" annotation, node "${node}" can only create mirror pods`);
  }
  if (pod.spec?.nodeName !== node) throw only("spec.nodeName");
  const [owner, ...others] = pod.metadata.ownerReferences ?? [];
  if (others.length > 0) throw only("a single owner reference");
  if (owner?.apiVersion !== "v1" || owner.kind !== "Node" || owner.name !== node) throw only("an owner reference");
  if (!owner.controller) throw only("a controller owner reference");
  if (owner.blockOwnerDeletion) throw refusal(request, `node "${node}" must not set blockOwnerDeletion on an owner reference`);
  const self = await storedOne<Node>(store, "", "nodes", node);
  if (self === undefined) throw notFound({ group: "", resource: "node" }, node);
  if (owner.uid !== self.metadata?.uid) {
    throw refusal(request, `node ${node} UID mismatch: expected ${owner.uid} got ${self.metadata?.uid}`);
  }
  const [named] = references(pod.spec);
  if (named !== undefined) throw refusal(request, `node "${node}" can not create pods that reference ${named}`);
}

type Spec = NonNullable<Loose<Pod>["spec"]>;

/** Kinds of objects that a pod needs, in the order in which they are looked for. */
function* references(spec: Spec): Iterable<string> {
  if (spec.serviceAccountName) yield "serviceaccounts";
  const volumes = spec.volumes ?? [];
  const sources = volumes.flatMap(({ projected }) => projected?.sources ?? []);
  const containers = [
    ...(spec.initContainers ?? []),
    ...(spec.containers ?? []),
    ...(spec.ephemeralContainers ?? []),
  ] as Loose<Container>[];
  const env = containers.flatMap(({ env: all }) => (all ?? []).map(({ valueFrom }) => valueFrom));
  const envFrom = containers.flatMap(({ envFrom: all }) => all ?? []);
  if (
    spec.imagePullSecrets?.length ||
    volumes.some(secretOf) ||
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

/** Volumes name their secrets in many ways. */
function secretOf(volume: Loose<Volume>): boolean {
  if (volume.secret || volume.azureFile) return true;
  const { cephfs, cinder, flexVolume, iscsi, rbd, scaleIO, storageos, csi } = volume;
  const refs = [cephfs, cinder, flexVolume, iscsi, rbd, scaleIO, storageos].map((each) => each?.secretRef);
  return [...refs, csi?.nodePublishSecretRef].some((ref) => ref != null);
}
