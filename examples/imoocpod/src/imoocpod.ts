import { allow, controller, defineResource, type ReadOf, z } from "pintle";
import { AlreadyExists } from "pintle/client";
import { Pod } from "pintle/kinds/core/v1";
import { decide, isReady, ownerOf } from "./decide.ts";

export const ImoocPod = defineResource({
  group: "k8s.imooc.com",
  version: "v1alpha1",
  kind: "ImoocPod",
  spec: z.object({
    replicas: z.int32().min(0).max(50).default(1).describe("How many pods to keep alive."),
    image: z.string().default("busybox:1.36").describe("The image of new pods."),
  }),
  status: z.object({
    replicas: z.int32().describe("How many pods are alive."),
    ready: z.int32().describe("How many of them are ready."),
    podNames: z.array(z.string()).describe("Their names, sorted."),
    selector: z.string().describe("Selects these pods, for autoscalers."),
  }),
  rules: [{ rule: "self.metadata.name.size() <= 50", message: "a name may have 50 characters, so that its pods can be named after it" }],
  conditions: ["Ready"],
  columns: [
    { name: "Desired", path: ".spec.replicas" },
    { name: "Current", path: ".status.replicas" },
    { name: "Ready", path: ".status.ready" },
    { name: "Age", path: ".metadata.creationTimestamp" },
  ],
  scale: { spec: ".spec.replicas", status: ".status.replicas", selector: ".status.selector" },
});
export interface ImoocPod extends ReadOf<typeof ImoocPod> {}

/** Pods with this label and the object's name belong to it; whoever changes the label takes the pod away. */
export const LABEL = "k8s.imooc.com/imoocpod";

/** Bare pods have no template that could be applied again and again, so this one says what to do, one request at a time. */
export const imoocPod = controller(ImoocPod, {
  watches: { pods: { kind: Pod, by: ({ metadata }) => belongsTo(metadata) } },
  needs: [allow(Pod, "create", "patch", "delete")],
  async reconcile({ object, related, client, event, want }) {
    const { adopt, release, remove, missing, next, alive } = decide(object, related.pods);
    const { name, namespace, uid } = object.metadata;
    const at = (pod: Pod) => ({ name: pod.metadata.name, namespace });
    for (const pod of adopt) {
      await client.patch(Pod, at(pod), { merge: { metadata: { uid: pod.metadata.uid, ownerReferences: [ownerOf(object)] } } });
      event("Adopted", `pod ${pod.metadata.name} has the label and no owner`);
    }
    for (const pod of release) {
      const ownerReferences = (pod.metadata.ownerReferences ?? []).filter((owner) => owner.uid !== uid);
      await client.patch(Pod, at(pod), { merge: { metadata: { uid: pod.metadata.uid, ownerReferences } } });
      event("Released", `pod ${pod.metadata.name} has lost the label`);
    }
    for (const pod of remove) {
      await client.delete(Pod, at(pod), { uid: pod.metadata.uid });
      event("Deleted", `pod ${pod.metadata.name}`);
    }
    for (let left = missing, number = next; left > 0; number++) {
      const made = await client.create(Pod, podFor(object, `${name}-${number}`)).catch(unlessTaken);
      if (made === undefined) continue;
      event("Created", `pod ${made.metadata.name}`);
      left--;
    }
    const podNames = alive.map((pod) => pod.metadata.name).sort();
    const ready = alive.filter(isReady).length;
    const isComplete = ready === object.spec.replicas;
    const message = `${podNames.length} of ${object.spec.replicas} pods are alive, ${ready} are ready`;
    return want({
      status: { replicas: podNames.length, ready, podNames, selector: `${LABEL}=${name}` },
      conditions: { Ready: { status: isComplete, reason: isComplete ? "Complete" : "Incomplete", message } },
    });
  },
});

/** A pod that was let go keeps its name: then the next number it is. */
function unlessTaken(error: unknown): undefined {
  if (!(error instanceof AlreadyExists)) throw error;
}

function podFor(object: ImoocPod, podName: string) {
  const { name, namespace } = object.metadata;
  return {
    metadata: { name: podName, namespace, labels: { [LABEL]: name }, ownerReferences: [ownerOf(object)] },
    spec: { containers: [{ name: "busybox", image: object.spec.image, command: ["sleep", "3600"] }] },
  };
}

/** The objects that a pod may concern: the one its label names, and the one that owns it. */
function belongsTo({ namespace, labels, ownerReferences }: Pod["metadata"]) {
  const owners = (ownerReferences ?? []).filter(({ kind, controller }) => kind === "ImoocPod" && controller === true);
  const names = [labels?.[LABEL], ...owners.map(({ name }) => name)];
  return names.flatMap((name) => (name === undefined ? [] : [{ name, namespace }]));
}
