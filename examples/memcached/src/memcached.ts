import { allow, controller, defineResource, type ReadOf, z } from "pintle";
import { Deployment } from "pintle/kinds/apps/v1";
import { Pod } from "pintle/kinds/core/v1";
import { PodDisruptionBudget } from "pintle/kinds/policy/v1";
import { autopilot } from "./autopilot.ts";
import { budgetFor } from "./budget.ts";
import { availability, isReady, progress } from "./conditions.ts";
import { deploymentFor, LABEL, withoutStrangers } from "./deployment.ts";
import { common, port, status } from "./fields.ts";
import { numbers } from "./numbers.ts";

const scale = { spec: ".spec.size", status: ".status.replicas", selector: ".status.selector" } as const;

export const Memcached = defineResource({
  group: "cache.example.com",
  version: "v1",
  kind: "Memcached",
  spec: z.object({ ...common, port }),
  status,
  rules: [
    { rule: "self.metadata.name.size() <= 63", message: "a name may have 63 characters: it is a label of the pods" },
    { rule: "!has(self.spec.autopilot) || self.spec.autopilot.min <= self.spec.autopilot.max", message: "min is more than max" },
  ],
  conditions: ["Available", "Progressing"],
  scale,
  columns: [
    { name: "Size", path: ".spec.size" },
    { name: "Ready", path: ".status.ready" },
    { name: "Available", path: '.status.conditions[?(@.type=="Available")].status' },
    { name: "Image", path: ".spec.image" },
    { name: "Age", path: ".metadata.creationTimestamp" },
  ],
}).older({
  version: "v1alpha1",
  spec: z.object({ ...common, containerPort: port }),
  status,
  scale,
  toHub: ({ spec: { containerPort, ...spec }, status }) => ({ spec: { ...spec, port: containerPort }, status }),
  fromHub: ({ spec: { port, ...spec }, status }) => ({ spec: { ...spec, containerPort: port }, status }),
});
export interface Memcached extends ReadOf<typeof Memcached> {}

export const memcached = controller(Memcached, {
  owns: [Deployment, PodDisruptionBudget],
  watches: { pods: { kind: Pod, by: { label: LABEL } } },
  needs: [allow(Deployment, "patch"), allow(Pod, "list", "delete"), allow(Memcached, "patch")],
  daemons: { autopilot },
  metrics: numbers,
  async reconcile({ object, owned, related, client, want }) {
    const { name, namespace } = object.metadata;
    const deployment = owned(Deployment).get(name);
    const strategic = withoutStrangers(object, deployment);
    if (strategic !== undefined) await client.patch(Deployment, { name, namespace }, { strategic });
    const pods = related.pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    const nodes = pods.map(({ metadata }) => metadata.name).sort();
    return want({
      children: { deployment: deploymentFor(object), budget: budgetFor(object) },
      status: { nodes, replicas: nodes.length, ready: pods.filter(isReady).length, selector: `${LABEL}=${name}` },
      conditions: { Available: availability(object, pods), Progressing: progress(object, deployment, pods) },
    });
  },
  finalize({ object: { metadata, spec }, event }) {
    event("Deleting", `${metadata.name} goes, and ${spec.size} pods with what they remember`);
  },
});
