import { allow, controller, defineResource, type ObjectOf, z } from "pintle";
import { Deployment } from "pintle/kinds/apps/v1";
import { Pod } from "pintle/kinds/core/v1";
import { PodDisruptionBudget } from "pintle/kinds/policy/v1";
import { autopilot } from "./autopilot.ts";
import { availableCondition, isReady, progressingCondition } from "./conditions.ts";
import { deploymentFor, disruptionBudgetFor, foreignPortsPatch, LABEL } from "./deployment.ts";
import { metrics } from "./metrics.ts";
import { commonFields, port, status } from "./spec-fields.ts";

const scale = { spec: ".spec.size", status: ".status.replicas", selector: ".status.selector" } as const;

export const Memcached = defineResource({
  group: "cache.example.com",
  version: "v1",
  kind: "Memcached",
  spec: z.object({ ...commonFields, port }),
  status,
  rules: [
    { rule: "self.metadata.name.size() <= 63", message: "must be at most 63 characters, because it is a label value of the pods" },
    { rule: "!has(self.spec.autopilot) || self.spec.autopilot.min <= self.spec.autopilot.max", message: "min must not exceed max" },
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
  spec: z.object({ ...commonFields, containerPort: port }),
  status,
  scale,
  toHub: ({ spec: { containerPort, ...spec }, status }) => ({ spec: { ...spec, port: containerPort }, status }),
  fromHub: ({ spec: { port, ...spec }, status }) => ({ spec: { ...spec, containerPort: port }, status }),
});
export interface Memcached extends ObjectOf<typeof Memcached> {}

export const memcached = controller(Memcached, {
  owns: [Deployment, PodDisruptionBudget],
  watches: { pods: { kind: Pod, by: { label: LABEL } } },
  needs: [allow(Deployment, "patch"), allow(Pod, "list", "delete"), allow(Memcached, "patch")],
  daemons: { autopilot },
  metrics: metrics,
  async reconcile({ object, owned, related, client, want }) {
    const { name, namespace } = object.metadata;
    const deployment = owned(Deployment).get(name);
    const strategic = foreignPortsPatch(object, deployment);
    if (strategic !== undefined) await client.patch(Deployment, { name, namespace }, { strategic });
    const pods = related.pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    const nodes = pods.map(({ metadata }) => metadata.name).sort();
    return want({
      children: { deployment: deploymentFor(object), budget: disruptionBudgetFor(object) },
      status: { nodes, replicas: nodes.length, ready: pods.filter(isReady).length, selector: `${LABEL}=${name}` },
      conditions: { Available: availableCondition(object, pods), Progressing: progressingCondition(object, deployment, pods) },
    });
  },
  finalize({ object: { metadata, spec }, event }) {
    event("Deleting", `deleting ${metadata.name} with ${spec.size} pods`);
  },
});
