import type { KubernetesObject, V1Condition, V1Deployment } from "@kubernetes/client-node";

export const GROUP = "cache.example.com";
export const VERSION = "v1alpha1";
export const PLURAL = "memcacheds";
export const LABEL = `${GROUP}/memcached`;

export interface Memcached extends KubernetesObject {
  spec: { size: number; image: string };
  status?: { nodes: string[]; replicas: number; selector: string; observedGeneration?: number; conditions?: V1Condition[] };
}

export function deploymentFor({ metadata, spec }: Memcached): V1Deployment {
  const { name = "", uid = "" } = metadata ?? {};
  const labels = { "app.kubernetes.io/name": "memcached", [LABEL]: name };
  const owner = { apiVersion: `${GROUP}/${VERSION}`, kind: "Memcached", name, uid, controller: true, blockOwnerDeletion: true };
  const args = ["memcached", "-m", "64", "-o", "modern"];
  const ports = [{ name: "memcached", containerPort: 11211 }];
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, labels, ownerReferences: [owner] },
    spec: {
      replicas: spec.size,
      selector: { matchLabels: { [LABEL]: name } },
      template: { metadata: { labels }, spec: { containers: [{ name: "memcached", image: spec.image, args, ports }] } },
    },
  };
}

/** The desired status, or undefined if the object already has it. */
export function statusFor(memcached: Memcached, ready: number, nodes: string[]): Memcached["status"] | undefined {
  const { name, generation } = memcached.metadata ?? {};
  const { size } = memcached.spec;
  const status = ready >= size ? "True" : "False";
  const [before] = memcached.status?.conditions ?? [];
  const condition = {
    type: "Available",
    status,
    reason: ready >= size ? "Ready" : "PodsMissing",
    message: `${ready} of ${size} pods are ready`,
    observedGeneration: generation,
    lastTransitionTime: before?.status === status ? before.lastTransitionTime : `${new Date().toISOString().slice(0, 19)}Z`,
  };
  const isSame =
    memcached.status?.observedGeneration === generation &&
    before?.status === status &&
    before.message === condition.message &&
    memcached.status?.nodes.join() === nodes.join();
  if (isSame) return undefined;
  const observedGeneration = generation ?? 0;
  return {
    nodes,
    replicas: nodes.length,
    selector: `${LABEL}=${name}`,
    observedGeneration,
    conditions: [condition as unknown as V1Condition],
  };
}
