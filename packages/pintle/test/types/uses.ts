import {
  type AnyResource,
  anyObject,
  anyValue,
  atomic,
  celRule,
  defineResource,
  embedded,
  exactlyOneOf,
  immutable,
  intOrString,
  listMap,
  listSet,
  type ObjectOf,
  objectMeta,
  quantity,
  timestamp,
  z,
} from "../../src/index.ts";
import type { Condition, Json, Metadata, NamespacedMetadata } from "../../src/kinds/index.ts";

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
declare function is<A, B>(ok: Equal<A, B>): void;

/** Assertions about the types of resources; compiled, never run. */
export const Cache = defineResource({
  group: "g.example.com",
  version: "v1",
  kind: "Cache",
  spec: z.object({
    replicas: z.int32().default(1),
    image: z.object({ name: z.string(), tag: z.string().default("latest") }),
    ports: listMap(z.object({ name: z.string(), port: z.int32(), protocol: z.enum(["TCP", "UDP"]).default("TCP") }), "name", "protocol"),
    hosts: listSet(z.string()).optional(),
    memory: quantity(),
    target: intOrString().nullable(),
    since: timestamp().optional(),
    data: z.record(z.string(), anyValue()).default({}),
    more: anyObject().optional(),
    template: z.object({ metadata: objectMeta().optional() }).prefault({}),
    object: embedded(z.object({ spec: z.object({ size: z.int() }) })).optional(),
    choice: exactlyOneOf(z.object({ a: z.string().optional(), b: z.int().optional() }), "a", "b").optional(),
    frozen: celRule(immutable(atomic(z.array(z.string()))), "self.size() > 0").optional(),
  }),
  status: z.object({ ready: z.int32(), nodes: z.array(z.string()) }),
  conditions: ["Available", "Degraded"],
  scale: { spec: ".spec.replicas", status: ".status.ready" },
  selectable: [".spec.image.name"],
  columns: [
    { name: "Image", path: ".spec.image.name", priority: 1 },
    { name: "Available", path: '.status.conditions[?(@.type=="Available")].status' },
    { name: "Age", path: ".metadata.creationTimestamp" },
  ],
});
export interface Cache extends ObjectOf<typeof Cache> {}

export function read(object: ObjectOf<typeof Cache>, named: Cache): void {
  is<typeof Cache.id, "g.example.com/v1/Cache">(true);
  is<typeof Cache.scope, "Namespaced">(true);
  is<typeof Cache.conditions, readonly ("Available" | "Degraded")[]>(true);
  is<typeof object.metadata, NamespacedMetadata>(true);
  is<typeof object.spec.replicas, number>(true);
  is<typeof object.spec.image, { readonly name: string; readonly tag: string }>(true);
  is<(typeof object.spec.ports)[number], { readonly name: string; readonly port: number; readonly protocol: "TCP" | "UDP" }>(true);
  is<typeof object.spec.hosts, readonly string[] | undefined>(true);
  is<typeof object.spec.memory, string>(true);
  is<typeof object.spec.target, string | number | null>(true);
  is<typeof object.spec.since, string | undefined>(true);
  is<typeof object.spec.frozen, readonly string[] | undefined>(true);
  is<NonNullable<typeof object.spec.object>["spec"], { readonly size: number }>(true);
  is<NonNullable<typeof object.spec.object>["apiVersion"], string>(true);
  const value: Json | undefined = object.spec.data["a"];
  is<typeof object.status, NonNullable<typeof object.status> | undefined>(true);
  is<NonNullable<typeof object.status>["ready"], number | undefined>(true);
  is<NonNullable<typeof object.status>["conditions"], readonly Condition[] | undefined>(true);
  // The interface and the type are assignable to each other.
  read(named, object);
  void value;
  const any: AnyResource = Cache;
  void any;
}

// Desired objects: fields with a default may be omitted, `undefined` counts as absent.
const image = { name: "a" };
Cache.desired({ metadata: { name: "a" }, spec: { image, ports: [{ name: "a", port: 1 }], memory: "1Gi", target: null } });
Cache.desired({ metadata: { name: "a", namespace: undefined }, spec: { image, ports: [], memory: 1, target: 80, hosts: undefined } });

const Hub = defineResource({
  group: "g.example.com",
  version: "v2",
  kind: "Hub",
  spec: z.object({ replicas: z.int32().default(1), image: z.object({ name: z.string(), tag: z.string().default("latest") }) }),
  status: z.object({ ready: z.int32() }),
})
  .older({
    version: "v1",
    spec: z.object({ size: z.int32().default(1), image: z.string() }),
    status: z.object({ readyCount: z.int32() }),
    deprecated: "use v2",
    toHub: (old) => {
      is<typeof old.spec, { readonly size: number; readonly image: string }>(true);
      is<NonNullable<typeof old.status>["readyCount"], number | undefined>(true);
      return { spec: { replicas: old.spec.size, image: { name: old.spec.image } }, status: old.status && { ready: old.status.readyCount } };
    },
    fromHub: (hub) => {
      is<typeof hub.spec.image.tag, string>(true);
      return { spec: { image: hub.spec.image.name } };
    },
  })
  .unchangedIn({ version: "v2beta1", served: false });
is<typeof Hub.at.v1.id, "g.example.com/v1/Hub">(true);
is<typeof Hub.at.v2beta1.id, "g.example.com/v2beta1/Hub">(true);
is<ObjectOf<typeof Hub.at.v1>["spec"], { readonly size: number; readonly image: string }>(true);
is<ObjectOf<typeof Hub.at.v2beta1>["spec"], ObjectOf<typeof Hub>["spec"]>(true);
Hub.at.v1.desired({ metadata: { name: "a" }, spec: { image: "b" } });

const Tenant = defineResource({ group: "g.example.com", version: "v1", kind: "Tenant", scope: "Cluster", spec: z.object({}) });
is<ObjectOf<typeof Tenant>["metadata"], Metadata>(true);
is<ObjectOf<typeof Tenant>["status"], undefined>(true);
Tenant.desired({ metadata: { name: "a" }, spec: {} });
