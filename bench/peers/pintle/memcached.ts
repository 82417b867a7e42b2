import { controller, defineResource, type ObjectOf, z } from "pintle";
import { Deployment } from "pintle/kinds/apps/v1";
import { Pod } from "pintle/kinds/core/v1";

export const Memcached = defineResource({
  group: "cache.example.com",
  version: "v1alpha1",
  kind: "Memcached",
  spec: z.object({
    size: z.int32().min(1).max(9).default(1).describe("Number of memcached pods."),
    image: z.string().default("memcached:1.6-alpine").describe("Container image of the pods."),
  }),
  status: z.object({
    nodes: z.array(z.string()).describe("Names of the pods, sorted."),
    replicas: z.int32().describe("Number of pods."),
    selector: z.string().describe("Label selector of the pods, for autoscalers."),
  }),
  conditions: ["Available"],
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
    const isReady = ready >= object.spec.size;
    const message = `${ready} of ${object.spec.size} pods are ready`;
    return want({
      children: { deployment: deploymentFor(object) },
      status: { nodes, replicas: nodes.length, selector: `${LABEL}=${name}` },
      conditions: { Available: { status: isReady, reason: isReady ? "Ready" : "PodsMissing", message } },
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
