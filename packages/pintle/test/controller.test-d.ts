import type { ObjectList } from "../src/client/index.ts";
import {
  allow,
  controller,
  defineResource,
  defineUntypedKind,
  metadataOnly,
  type ObjectOf,
  type OwnedLister,
  optionalKind,
  predicates,
  quantity,
  run,
  z,
} from "../src/index.ts";
import { Deployment } from "../src/kinds/generated/apps/v1.ts";
import { Node, Pod, ResourceQuota, Secret, Service } from "../src/kinds/generated/core/v1.ts";

// What must and must not compile. Checked by `npm run types`; never run.

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
declare function is<A, B>(ok: Equal<A, B>): void;

const Memcached = defineResource({
  group: "cache.example.com",
  version: "v1alpha1",
  kind: "Memcached",
  spec: z.object({
    size: z.int().min(1).max(9).default(1),
    image: z.string().optional(),
    args: z.array(z.string()).default([]),
    nodeSelector: z.record(z.string(), z.string()).optional(),
    secretName: z.string().optional(),
  }),
  status: z.object({ nodes: z.array(z.string()) }),
  conditions: ["Available"],
  columns: [{ name: "Size", path: ".spec.size" }],
});
interface Memcached extends ObjectOf<typeof Memcached> {}
const selector = { matchLabels: { a: "b" } };

const memcached = controller(Memcached, {
  owns: [Deployment, metadataOnly(Service)],
  watches: {
    pods: { kind: Pod, by: { label: "cache.example.com/memcached" } },
    secrets: {
      kind: metadataOnly(Secret),
      by: { name: (mc) => mc.spec.secretName },
      when: (old, now) => old?.metadata.uid !== now?.metadata.uid,
    },
    nodes: { kind: Node, by: (node) => [{ name: node.metadata.labels?.["x"] ?? "" }] },
  },
  needs: [allow(Secret, "get"), allow(Node, "get", "patch"), allow(Pod, "eviction/create")],
  async reconcile({ object, owned, related, want, client, event, log, reasons }) {
    is<typeof object.spec.size, number>(true);
    is<typeof object.spec.args, readonly string[]>(true);
    is<typeof object.metadata.namespace, string>(true);
    is<typeof related.pods, readonly Pod[]>(true);
    const { name } = object.metadata;
    const live = owned(Deployment).get(name);
    is<typeof live, Deployment | undefined>(true);
    const service = owned(Service).get(name);
    // @ts-expect-error only metadata is watched
    service?.spec;
    // @ts-expect-error only metadata is watched
    related.secrets[0]?.data;
    // @ts-expect-error Secret is not owned
    owned(Secret);
    // @ts-expect-error no such watch
    related.podz;
    // @ts-expect-error cached objects are readonly
    object.spec.size = 3;
    // @ts-expect-error cached lists are readonly
    related.pods.sort();
    is<Awaited<ReturnType<typeof getSecret>>, Secret>(true);
    const getSecret = () => client.get(Secret, { name: "x", namespace: "y" });
    const pods = await client.list(Pod);
    is<typeof pods, ObjectList<Pod>>(true);
    await client.patch(Node, { name: "n" }, { merge: {} });
    await client.evict(Pod, { name: "x", namespace: "y" });
    // @ts-expect-error Secret was declared for get, not delete
    await client.delete(Secret, { name: "x", namespace: "y" });
    // @ts-expect-error Service is owned, but `patch` is not in `needs`
    await client.patch(Service, { name: "x", namespace: "y" }, { merge: {} });
    // @ts-expect-error Node has no namespace
    await client.get(Node, { name: "x", namespace: "y" });
    // @ts-expect-error Pod needs a namespace
    await client.get(Pod, { name: "x" });
    event("Scaled", `${reasons.length}`, { type: "Warning" });
    log.info("scaled", { to: object.spec.size });
    const deployment = Deployment.desired({
      metadata: { name },
      spec: {
        replicas: object.spec.size,
        selector,
        template: {
          metadata: { labels: { a: "b" } },
          spec: { nodeSelector: object.spec.nodeSelector, containers: [{ name: "m", image: object.spec.image, args: object.spec.args }] },
        },
      },
    });
    return want({
      children: {
        deployment,
        service: object.spec.size > 1 && Service.desired({ metadata: { name }, spec: {} }, { after: [deployment] }),
      },
      status: { nodes: related.pods.map((pod) => pod.metadata.name).sort() },
      conditions: { Available: { status: live?.status.readyReplicas === object.spec.size, reason: "Replicas" } },
      requeueAfter: "5m",
    });
  },
});
const runAll = () => run({ controllers: [memcached] });
void runAll;

// Helper functions can take the reconcile context.
const replicasOf = (mc: Memcached): number => mc.spec.size;
const readyOf = (live: Deployment | undefined): number => live?.status.readyReplicas ?? 0;
controller(Memcached, {
  owns: [Deployment],
  reconcile({ object, owned }) {
    replicasOf(object);
    readyOf(owned(Deployment).get("x"));
  },
  finalize: async () => ({ requeueAfter: "10s" }),
});

// Optional and untyped kinds, lists of children.
const Monitor = defineUntypedKind({ group: "m.io", version: "v1", kind: "Monitor", plural: "monitors", scope: "Namespaced" });
controller(Memcached, {
  owns: [Deployment, optionalKind(Service), optionalKind(Monitor)],
  reconcile({ object, want, owned }) {
    is<ReturnType<typeof owned<"v1/Service">>, OwnedLister<Service>>(true);
    const shards = Array.from({ length: object.spec.size }, (_, i) =>
      Deployment.desired({ metadata: { name: `s-${i}` }, spec: { selector, template: {} } }),
    );
    return want({ children: { shards, monitor: object.spec.image ? Monitor.desired({ metadata: { name: "a" }, spec: {} }) : undefined } });
  },
});

// A built-in kind can be the primary kind.
controller(Deployment, {
  owns: [Pod],
  reconcile: ({ object, want }) =>
    want({ children: {}, status: { readyReplicas: object.spec.replicas }, conditions: { Available: { status: true, reason: "x" } } }),
});

controller(Memcached, {
  owns: [Deployment],
  reconcile: ({ want }) =>
    want({
      children: {
        // @ts-expect-error Service is not owned
        service: Service.desired({ metadata: { name: "a" }, spec: {} }),
        // @ts-expect-error a kind is not a child
        deployment: Deployment,
      },
      // @ts-expect-error no such field
      status: { nodes: [], nodez: [] },
      conditions: {
        Available: { status: true, reason: "r" },
        // @ts-expect-error not declared
        Availabel: { status: true, reason: "r" },
      },
    }),
});
controller(Memcached, {
  // @ts-expect-error not a duration
  reconcile: ({ want }) => want({ requeueAfter: "5 minutes" }),
});
controller(Memcached, {
  // @ts-expect-error the returned status must be complete
  reconcile: ({ want }) => want({ status: {} }),
});
controller(Memcached, {
  // @ts-expect-error only want() creates a result
  reconcile: () => ({ status: { nodes: [] } }),
});
controller(Memcached, {
  // @ts-expect-error no such mapping
  watches: { pods: { kind: Pod, by: { lable: "x" } } },
  reconcile() {},
});

const Bare = defineResource({ group: "g.io", version: "v1", kind: "Bare", spec: z.object({}) });
controller(Bare, {
  // @ts-expect-error no conditions declared
  reconcile: ({ want }) => want({ conditions: { Ready: { status: true, reason: "r" } } }),
});
controller(Bare, {
  // @ts-expect-error no status declared
  reconcile: ({ want }) => want({ status: { a: 1 } }),
});

controller(Memcached, {
  needs: [allow(Pod, "delete")],
  when: predicates.generationChanged,
  daemons: {
    async watchdog({ object, client, signal, enqueue }) {
      await client.delete(Pod, { name: object.metadata.name, namespace: object.metadata.namespace }, { signal });
      // @ts-expect-error not declared
      await client.create(Pod, { metadata: { name: "p", namespace: "d" }, spec: { containers: [] } });
      // @ts-expect-error read-only
      object.spec.size = 2;
      enqueue();
    },
  },
  reconcile() {},
});

// A quantity of a resource can be passed on to a built-in kind.
const Plan = defineResource({
  group: "example.com",
  version: "v1",
  kind: "Plan",
  spec: z.object({ cpu: quantity(), more: z.record(z.string(), quantity()) }),
});
controller(Plan, {
  owns: [ResourceQuota],
  reconcile: ({ object: { metadata, spec }, want }) =>
    want({
      children: {
        quota: ResourceQuota.desired({ metadata: { name: metadata.name }, spec: { hard: { ...spec.more, "limits.cpu": spec.cpu } } }),
      },
    }),
});
Plan.desired({ metadata: { name: "a" }, spec: { cpu: 2, more: { memory: "1Gi" } } });
