import {
  celRule,
  controller,
  defineResource,
  embedded,
  exactlyOneOf,
  fieldDocs,
  granular,
  listMap,
  minProperties,
  stringFormat,
  z,
} from "../../src/index.ts";
import { Deployment } from "../../src/kinds/generated/apps/v1.ts";
import { Namespace, Pod, Secret, Service } from "../../src/kinds/generated/core/v1.ts";

/**
 * Common mistakes and their compiler errors: `[token] message`, where the token is the position of the error. messages.test.ts compares
 * the messages.
 */
export const Memcached = defineResource({
  group: "cache.example.com",
  version: "v1alpha1",
  kind: "Memcached",
  spec: z.object({ size: z.int().min(1).max(9).default(1), image: z.string().optional() }),
  status: z.object({ nodes: z.array(z.string()) }),
  conditions: ["Available", "Degraded"],
  // @ts-expect-error [path] Type '".spec.sise"' is not assignable to type 'FieldJsonPath<"image" | "size", "nodes">'. Did you mean '".spec.size"'?
  columns: [{ name: "Size", path: ".spec.sise" }],
});

controller(Memcached, {
  owns: [Deployment],
  watches: { pods: { kind: Pod, by: { label: "x" } } },
  async reconcile({ object, owned, related, want, client }) {
    // @ts-expect-error [sizes] Property 'sizes' does not exist on type '{ readonly size: number; readonly image?: string | undefined; }'. Did you mean 'size'?
    object.spec.sizes;
    // @ts-expect-error [size] Cannot assign to 'size' because it is a read-only property.
    object.spec.size = 2;
    // @ts-expect-error [object.status] 'object.status' is possibly 'undefined'.
    object.status.nodes;
    // @ts-expect-error [Service] Argument of type 'ServiceKind' is not assignable to parameter of type 'OwnedKind<"apps/v1/Deployment">'.
    owned(Service);
    // @ts-expect-error [podz] Property 'podz' does not exist on type '{ readonly pods: readonly Pod[]; }'.
    related.podz;
    // @ts-expect-error [Secret] Argument of type 'SecretKind' is not assignable to parameter of type
    await client.get(Secret, { name: "a", namespace: "b" });
    return want({
      children: {
        // @ts-expect-error [service] Type 'Child<"v1/Service", ServiceDesired>' is not assignable to type 'DesiredChild<"apps/v1/Deployment">'.
        service: Service.desired({ metadata: { name: "a" }, spec: {} }),
        // @ts-expect-error [spec] Property 'selector' is missing in type '{ template: {}; }' but required in type 'DeploymentSpec'.
        deployment: Deployment.desired({ metadata: { name: "a" }, spec: { template: {} } }),
      },
      // @ts-expect-error [nodez] 'nodez' does not exist in type '{ readonly nodes: readonly string[]; }'. Did you mean to write 'nodes'?
      status: { nodez: [] },
      conditions: {
        // @ts-expect-error [Availabel] 'Availabel' does not exist in type '{ readonly Available?: ConditionValue | undefined; readonly Degraded?: ConditionValue | undefined; }'. Did you mean to write 'Available'?
        Availabel: { status: true, reason: "R" },
      },
    });
  },
});
// @ts-expect-error [({ status] Type '{ status: { nodes: never[]; }; }' is not assignable to type 'void | DesiredStateToken | Promise<void | DesiredStateToken>'.
controller(Memcached, { reconcile: () => ({ status: { nodes: [] } }) });

// @ts-expect-error [size] Type 'string' is not assignable to type 'number'.
Memcached.desired({ metadata: { name: "a" }, spec: { size: "3" } });
// @ts-expect-error [sizes] 'sizes' does not exist in type '{ readonly size?: number | undefined; readonly image?: string | undefined; }'. Did you mean to write 'size'?
Memcached.desired({ metadata: { name: "a" }, spec: { sizes: 3 } });
// @ts-expect-error [image] Type 'null' is not assignable to type 'string | undefined'.
Memcached.desired({ metadata: { name: "a" }, spec: { image: null } });
// @ts-expect-error [metadata] Property 'name' is missing in type '{}' but required in type 'DesiredNamespacedMetadata'.
Memcached.desired({ metadata: {}, spec: {} });

// @ts-expect-error ["nam"] Argument of type '"nam"' is not assignable to parameter of type '"name"'.
listMap(z.object({ name: z.string(), tag: z.string().optional() }), "nam");
// @ts-expect-error ["tag"] Argument of type '"tag"' is not assignable to parameter of type '"name"'.
listMap(z.object({ name: z.string(), tag: z.string().optional() }), "tag");
// @ts-expect-error [listMap] Expected at least 2 arguments, but got 1.
listMap(z.object({ name: z.string() }));
// @ts-expect-error ["c"] Argument of type '"c"' is not assignable to parameter of type '"a" | "b"'.
exactlyOneOf(z.object({ a: z.string().optional(), b: z.string().optional() }), "a", "c");
// @ts-expect-error [exactlyOneOf] Expected at least 3 arguments, but got 2.
exactlyOneOf(z.object({ a: z.string().optional() }), "a");
// @ts-expect-error [mesage] 'mesage' does not exist in type 'CelRuleOptions'. Did you mean to write 'message'?
celRule(z.string(), "self != ''", { mesage: "no" });
// @ts-expect-error [reason] Type '"Invalid"' is not assignable to type '"FieldValueDuplicate" | "FieldValueForbidden" | "FieldValueInvalid" | "FieldValueRequired" | undefined'.
celRule(z.string(), "self != ''", { reason: "Invalid" });
// @ts-expect-error ["hostnam"] Argument of type '"hostnam"' is not assignable to parameter of type
stringFormat("hostnam");
// @ts-expect-error [z.string()] Argument of type 'ZodString' is not assignable to parameter of type
minProperties(z.string(), 1);
// @ts-expect-error [z.array] Argument of type 'ZodArray<ZodString>' is not assignable to parameter of type
granular(z.array(z.string()));
// @ts-expect-error [titel] 'titel' does not exist in type 'FieldDocs'. Did you mean to write 'title'?
fieldDocs(z.string(), { titel: "x" });
// @ts-expect-error [z.string()] Type 'ZodString' is missing the following properties from type 'ZodObject<$ZodLooseShape, $strip>'
embedded(z.string());

const base = { group: "g.example.com", version: "v1", kind: "Thing" } as const;
// @ts-expect-error [{ ...base }] Property 'spec' is missing in type
defineResource({ ...base });
defineResource({
  ...base,
  spec: z.object({ replicas: z.int32().default(1) }),
  // @ts-expect-error [shortName] 'shortName' does not exist in type
  shortName: ["th"],
});
defineResource({
  ...base,
  // @ts-expect-error [spec] Type 'ZodString' is missing the following properties from type 'ZodObject<$ZodLooseShape, $strip>'
  spec: z.string(),
});
defineResource({
  ...base,
  spec: z.object({}),
  // @ts-expect-error [scope] Type '"Namspaced"' is not assignable to type 'Scope | undefined'.
  scope: "Namspaced",
});
defineResource({
  ...base,
  spec: z.object({ replicas: z.int32().default(1) }),
  status: z.object({ replicas: z.int32() }),
  // @ts-expect-error [spec] Type '".spec.replica"' is not assignable to type
  scale: { spec: ".spec.replica", status: ".status.replicas" },
  // @ts-expect-error [".spec.color"] Type '".spec.color"' is not assignable to type 'FieldJsonPath<"replicas", "replicas">'.
  selectable: [".spec.color"],
});

const Versioned = defineResource({ ...base, spec: z.object({ replicas: z.int32().default(1), image: z.string() }) });
Versioned.older({
  version: "v1beta1",
  spec: z.object({ size: z.int32() }),
  // @ts-expect-error [spec: { replicas] Property 'image' is missing in type '{ replicas: number; }' but required in type
  toHub: (old) => ({ spec: { replicas: old.spec.size } }),
  // @ts-expect-error [sise] Property 'sise' does not exist on type '{ readonly replicas: number; readonly image: string; }'.
  fromHub: (hub) => ({ spec: { size: hub.spec.sise } }),
});
// @ts-expect-error [v1beta1] Property 'v1beta1' does not exist on type
Versioned.unchangedIn({ version: "v1beta2" }).at.v1beta1;
// @ts-expect-error [namespace] 'namespace' does not exist in type 'DesiredMetadata'.
defineResource({ ...base, scope: "Cluster", spec: z.object({}) }).desired({ metadata: { name: "a", namespace: "b" }, spec: {} });

controller(Memcached, {
  watches: {
    // @ts-expect-error [by] Type 'string' is not assignable to type 'AnnotationMapping
    namespaces: { kind: Namespace, by: "owner" },
  },
  reconcile() {},
});
