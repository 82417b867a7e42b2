import {
  allow,
  celRule,
  controller,
  defineResource,
  duration,
  listMap,
  metadataOnly,
  type ObjectOf,
  quantity,
  run,
  z,
} from "../../src/index.ts";
import { DaemonSet, Deployment, StatefulSet } from "../../src/kinds/generated/apps/v1.ts";
import { HorizontalPodAutoscaler } from "../../src/kinds/generated/autoscaling/v2.ts";
import { CronJob, Job } from "../../src/kinds/generated/batch/v1.ts";
import { ConfigMap, Node, PersistentVolumeClaim, Pod, Secret, Service, ServiceAccount } from "../../src/kinds/generated/core/v1.ts";
import { Ingress, NetworkPolicy } from "../../src/kinds/generated/networking/v1.ts";

/** A project of three controllers, each with a resource of its own, twelve owned kinds and two watched ones. */
const owns = [
  Deployment,
  StatefulSet,
  DaemonSet,
  HorizontalPodAutoscaler,
  CronJob,
  Job,
  ConfigMap,
  PersistentVolumeClaim,
  Service,
  ServiceAccount,
  Ingress,
  NetworkPolicy,
] as const;

const labels = (name: string) => ({ "app.kubernetes.io/name": name });

export const Memcached = defineResource({
  group: "cache.example.com",
  version: "v1",
  kind: "Memcached",
  spec: z.object({
    size: z.int().min(1).max(9).default(1).describe("How many memcached pods to run."),
    image: z.string().optional(),
    memory: quantity().default("64Mi"),
    args: z.array(z.string()).default([]),
  }),
  status: z.object({ nodes: z.array(z.string()) }),
  conditions: ["Available", "Degraded"],
  columns: [{ name: "Size", path: ".spec.size" }],
}).older({
  version: "v1alpha1",
  spec: z.object({ replicas: z.int32().default(1) }),
  toHub: ({ spec }) => ({ spec: { size: spec.replicas } }),
  fromHub: ({ spec }) => ({ spec: { replicas: spec.size } }),
});
export interface Memcached extends ObjectOf<typeof Memcached> {}

const memcached = controller(Memcached, {
  owns,
  watches: {
    pods: { kind: Pod, by: { label: "cache.example.com/memcached" } },
    nodes: { kind: metadataOnly(Node), by: (node) => [{ name: node.metadata.name }] },
  },
  needs: [allow(Secret, "get")],
  async reconcile({ object, owned, related, want, client }) {
    const name = object.metadata.name;
    const ready = owned(Deployment).get(name)?.status.readyReplicas ?? 0;
    await client.get(Secret, { name, namespace: object.metadata.namespace });
    const deployment = Deployment.desired({
      metadata: { name, labels: labels(name) },
      spec: {
        replicas: object.spec.size,
        selector: { matchLabels: labels(name) },
        template: {
          metadata: { labels: labels(name) },
          spec: { containers: [{ name: "memcached", image: object.spec.image, args: object.spec.args }] },
        },
      },
    });
    return want({
      children: { deployment, service: object.spec.size > 1 && Service.desired({ metadata: { name }, spec: { selector: labels(name) } }) },
      status: { nodes: related.pods.map((pod) => pod.metadata.name).sort() },
      conditions: { Available: { status: ready === object.spec.size, reason: "Replicas" } },
    });
  },
});

export const Backup = defineResource({
  group: "cache.example.com",
  version: "v1",
  kind: "Backup",
  spec: z.object({
    schedule: z.string(),
    timeout: duration().default("1h"),
    target: z.discriminatedUnion("type", [
      z.object({ type: z.literal("volume"), claimName: z.string() }),
      z.object({ type: z.literal("bucket"), bucket: z.string(), region: z.string().optional() }),
    ]),
  }),
  status: z.object({ lastRun: z.string(), runs: z.int() }),
  conditions: ["Succeeded"],
});

const backup = controller(Backup, {
  owns,
  watches: { jobs: { kind: Job, by: "owner" }, secrets: { kind: metadataOnly(Secret), by: { name: (one) => one.spec.schedule } } },
  reconcile({ object, related, want }) {
    const { name } = object.metadata;
    const { target } = object.spec;
    const volumes = target.type === "volume" ? [{ name: "to", persistentVolumeClaim: { claimName: target.claimName } }] : [];
    return want({
      children: {
        job: CronJob.desired({
          metadata: { name },
          spec: {
            schedule: object.spec.schedule,
            jobTemplate: { spec: { template: { spec: { containers: [{ name: "backup" }], volumes } } } },
          },
        }),
      },
      status: { lastRun: related.jobs.at(-1)?.metadata.creationTimestamp ?? "", runs: related.jobs.length },
    });
  },
});

export const Gateway = defineResource({
  group: "net.example.com",
  version: "v1",
  kind: "Gateway",
  scope: "Cluster",
  spec: celRule(
    z.object({
      listeners: listMap(z.object({ name: z.string(), port: z.int32().min(1).max(65535), hosts: z.array(z.string()).default([]) }), "name"),
      limits: z.object({ connections: z.int().default(100), rate: z.float64().optional() }).prefault({}),
    }),
    "self.listeners.size() > 0",
    { message: "no listeners" },
  ),
  status: z.object({ addresses: z.array(z.string()) }),
  conditions: ["Ready", "Programmed"],
});

const gateway = controller(Gateway, {
  owns,
  watches: { services: { kind: Service, by: { annotation: "net.example.com/gateway" } }, nodes: { kind: Node, by: { label: "gateway" } } },
  reconcile({ object, owned, related, want }) {
    const { name } = object.metadata;
    const config = Object.fromEntries(object.spec.listeners.map(({ name, port }) => [name, String(port)]));
    return want({
      children: {
        config: ConfigMap.desired({ metadata: { name, namespace: "gateways" }, data: config }),
        account: ServiceAccount.desired({ metadata: { name, namespace: "gateways" } }),
      },
      status: { addresses: related.services.flatMap((service) => service.spec.clusterIP ?? []) },
      conditions: { Ready: { status: owned(DaemonSet).list().length > 0, reason: "Running" } },
    });
  },
});

export const started = () => run({ controllers: [memcached, backup, gateway] });
