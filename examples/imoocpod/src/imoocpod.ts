import { allow, controller, defineResource, type ObjectOf, z } from "pintle";
import { AlreadyExists } from "pintle/client";
import { Pod } from "pintle/kinds/core/v1";
import { isReady, ownerReference, planPods } from "./plan-pods.ts";

export const ImoocPod = defineResource({
  group: "k8s.imooc.com",
  version: "v1alpha1",
  kind: "ImoocPod",
  spec: z.object({
    replicas: z.int32().min(0).max(50).default(1).describe("Number of pods."),
    image: z.string().regex(/^\S+$/).default("busybox:1.36").describe("Container image of new pods."),
  }),
  status: z.object({
    replicas: z.int32().describe("Number of running pods."),
    ready: z.int32().describe("Number of ready pods."),
    podNames: z.array(z.string()).describe("Names of the pods, sorted."),
    selector: z.string().describe("Label selector of the pods, for autoscalers."),
  }),
  rules: [{ rule: "self.metadata.name.size() <= 50", message: "must be at most 50 characters, because pod names are derived from it" }],
  conditions: ["Ready"],
  columns: [
    { name: "Desired", path: ".spec.replicas" },
    { name: "Current", path: ".status.replicas" },
    { name: "Ready", path: ".status.ready" },
    { name: "Age", path: ".metadata.creationTimestamp" },
  ],
  scale: { spec: ".spec.replicas", status: ".status.replicas", selector: ".status.selector" },
});
export interface ImoocPod extends ObjectOf<typeof ImoocPod> {}

/** Selects the pods of an object by its name. Removing the label releases the pod. */
export const LABEL = "k8s.imooc.com/imoocpod";

/**
 * Bare pods cannot be described as desired children, because their names are not known in advance; this controller creates and deletes them
 * with the client.
 */
export const imoocPod = controller(ImoocPod, {
  watches: { pods: { kind: Pod, by: ({ metadata }) => mapPodToOwners(metadata) } },
  needs: [allow(Pod, "create", "patch", "delete")],
  async reconcile({ object, related, client, event, want }) {
    const { toAdopt, toRelease, toDelete, createCount, nextOrdinal, retained } = planPods(object, related.pods);
    const { name, namespace, uid } = object.metadata;
    const refOf = (pod: Pod) => ({ name: pod.metadata.name, namespace });
    for (const pod of toAdopt) {
      await client.patch(Pod, refOf(pod), { merge: { metadata: { uid: pod.metadata.uid, ownerReferences: [ownerReference(object)] } } });
      event("Adopted", `adopted pod ${pod.metadata.name}, which has the label and no owner`);
    }
    for (const pod of toRelease) {
      const ownerReferences = (pod.metadata.ownerReferences ?? []).filter((owner) => owner.uid !== uid);
      await client.patch(Pod, refOf(pod), { merge: { metadata: { uid: pod.metadata.uid, ownerReferences } } });
      event("Released", `released pod ${pod.metadata.name}, which no longer has the label`);
    }
    for (const pod of toDelete) {
      await client.delete(Pod, refOf(pod), { uid: pod.metadata.uid });
      event("Deleted", `deleted pod ${pod.metadata.name}`);
    }
    for (let left = createCount, number = nextOrdinal; left > 0; number++) {
      const made = await client.create(Pod, podFor(object, `${name}-${number}`)).catch(ignoreAlreadyExists);
      if (made === undefined) continue;
      event("Created", `created pod ${made.metadata.name}`);
      left--;
    }
    const podNames = retained.map((pod) => pod.metadata.name).sort();
    const ready = retained.filter(isReady).length;
    const isComplete = ready === object.spec.replicas;
    const message = `${podNames.length} of ${object.spec.replicas} pods are running, ${ready} are ready`;
    return want({
      status: { replicas: podNames.length, ready, podNames, selector: `${LABEL}=${name}` },
      conditions: { Ready: { status: isComplete, reason: isComplete ? "Complete" : "Incomplete", message } },
    });
  },
});

/** A released pod keeps its name; the next ordinal is tried instead. */
function ignoreAlreadyExists(error: unknown): undefined {
  if (!(error instanceof AlreadyExists)) throw error;
}

function podFor(object: ImoocPod, podName: string) {
  const { name, namespace } = object.metadata;
  return {
    metadata: { name: podName, namespace, labels: { [LABEL]: name }, ownerReferences: [ownerReference(object)] },
    spec: { containers: [{ name: "busybox", image: object.spec.image, command: ["sleep", "3600"] }] },
  };
}

/** Maps a pod to the object that its label names and the object that owns it. */
function mapPodToOwners({ namespace, labels, ownerReferences }: Pod["metadata"]) {
  const owners = (ownerReferences ?? []).filter(({ kind, controller }) => kind === "ImoocPod" && controller === true);
  const names = [labels?.[LABEL], ...owners.map(({ name }) => name)];
  return names.flatMap((name) => (name === undefined ? [] : [{ name, namespace }]));
}
