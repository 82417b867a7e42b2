/** A fixed Memcached operator, whose output is recorded. */
import { controller, defineResource, type ObjectOf, z } from "pintle";
import { Deployment } from "pintle/kinds/apps/v1";
import { Pod } from "pintle/kinds/core/v1";

export const Memcached = defineResource({
  group: "cache.example.com",
  version: "v1alpha1",
  kind: "Memcached",
  spec: z.object({
    size: z.int32().min(1).max(9).default(1).describe("How many memcached pods to run."),
    image: z.string().default("memcached:1.6-alpine").describe("The image they run."),
  }),
  status: z.object({
    nodes: z.array(z.string()).describe("Names of the pods, sorted."),
    replicas: z.int32().describe("How many pods there are."),
    selector: z.string().describe("Selects these pods, for autoscalers."),
  }),
  conditions: ["Available"],
  scale: { spec: ".spec.size", status: ".status.replicas", selector: ".status.selector" },
  columns: [
    { name: "Size", path: ".spec.size" },
    { name: "Available", path: '.status.conditions[?(@.type=="Available")].status' },
    { name: "Age", path: ".metadata.creationTimestamp" },
  ],
});
export interface Memcached extends ObjectOf<typeof Memcached> {}

const LABEL = "cache.example.com/memcached";

export const memcached = controller(Memcached, {
  owns: [Deployment],
  watches: { pods: { kind: Pod, by: { label: LABEL } } },
  reconcile({ object, owned, related, want }) {
    const { name } = object.metadata;
    const nodes = related.pods.map((pod) => pod.metadata.name).sort();
    const ready = owned(Deployment).get(name)?.status.readyReplicas ?? 0;
    return want({
      children: { deployment: deploymentFor(object) },
      status: { nodes, replicas: nodes.length, selector: `${LABEL}=${name}` },
      conditions: { Available: { status: ready >= object.spec.size, ...because(object, ready, related.pods) } },
    });
  },
});

function deploymentFor({ metadata: { name }, spec: { size, image } }: Memcached) {
  const labels = { "app.kubernetes.io/name": "memcached", [LABEL]: name };
  const container = {
    name: "memcached",
    image,
    args: ["memcached", "-m", "64", "-o", "modern"],
    ports: [{ name: "memcached", containerPort: 11211 }],
  };
  return Deployment.desired({
    metadata: { name, labels },
    spec: {
      replicas: size,
      selector: { matchLabels: { [LABEL]: name } },
      template: { metadata: { labels }, spec: { containers: [container] } },
    },
  });
}

function because({ spec: { size } }: Memcached, ready: number, pods: readonly Pod[]) {
  if (ready >= size) return { reason: "Ready", message: `${ready} of ${size} pods are ready` };
  const stuck = pods.map((pod) => pod.status.conditions?.find((c) => c.type === "PodScheduled" && c.status === "False")).find((c) => c);
  if (stuck) return { reason: stuck.reason ?? "Unschedulable", message: stuck.message ?? "a pod cannot be scheduled" };
  const pending = pods.filter((pod) => pod.status.phase === "Pending").length;
  return { reason: pending > 0 ? "PodsPending" : "PodsMissing", message: `${ready} of ${size} pods are ready, ${pending} are pending` };
}
