import { clusterTest } from "@pintle/cluster/vitest";
import { Forbidden, hasCondition } from "pintle/client";
import { LimitRange, Namespace, Pod, ResourceQuota } from "pintle/kinds/core/v1";
import { NetworkPolicy } from "pintle/kinds/networking/v1";
import { RoleBinding } from "pintle/kinds/rbac/v1";
import { objectFixture, simulate } from "pintle/testing";
import { describe, expect, test as plainTest } from "vitest";
import { Plan } from "../src/plan.ts";
import { Tenant, tenant } from "../src/tenant.ts";

const within = { timeout: 60_000 };
const plan = { quota: { pods: "2" }, containerDefaults: { cpu: "500m" }, maxNamespaces: 2 };
const ready = ({ status }: Tenant) => status?.conditions?.find(({ type }) => type === "Ready");

describe("simulated, without an API server", () => {
  const object = Tenant.desired({ metadata: { name: "a" }, spec: { plan: "later", namespaces: ["dev"] } });

  plainTest("is not Ready without its Plan", async () => {
    const simulation = await simulate(tenant, [object]);
    const failed = simulation.get(Tenant, { name: "a" });
    expect(failed && ready(failed)).toMatchObject({ status: "False", message: expect.stringContaining("Plan later does not exist") });
  });

  plainTest("creates the namespaces before anything in them", async () => {
    const simulation = await simulate(tenant, [object, Plan.desired({ metadata: { name: "later" }, spec: plan })]);
    const quota = { name: "plan", namespace: "a-dev" };
    expect(simulation.get(ResourceQuota, quota)).toBeUndefined();
    await simulation.put(objectFixture(Namespace, "a-dev", { status: { phase: "Active" } }));
    expect(simulation.get(ResourceQuota, quota)?.spec).toEqual({ hard: { pods: "2" } });
  });
});

// All tests may share one cluster, so each has Tenants and Plans of its own.
const test = clusterTest({ operator: { controllers: [tenant], resources: [Plan] } });

describe("on a cluster", { timeout: 120_000 }, () => {
  test("creates its namespaces with quota, limits, isolation and bindings", async ({ client }) => {
    await client.apply(Plan, { metadata: { name: "small" }, spec: plan });
    await client.apply(Tenant, { metadata: { name: "shop" }, spec: { plan: "small", namespaces: ["dev", "prod"], admins: ["devs"] } });
    const { status } = await client.waitFor(Tenant, { name: "shop" }, hasCondition("Available"), within);
    expect(status?.namespaces).toEqual(["shop-dev", "shop-prod"]);
    const namespace = "shop-prod";
    expect((await client.waitFor(LimitRange, { name: "plan", namespace }, () => true, within)).spec?.limits).toMatchObject([
      { type: "Container", default: { cpu: "500m" } },
    ]);
    expect((await client.waitFor(NetworkPolicy, { name: "same-tenant", namespace }, () => true, within)).spec?.podSelector).toEqual({});
    expect(await client.waitFor(RoleBinding, { name: "admin", namespace }, () => true, within)).toMatchObject({
      roleRef: { kind: "ClusterRole", name: "admin" },
      subjects: [{ kind: "Group", name: "devs" }],
    });
    expect(await client.find(RoleBinding, { name: "view", namespace })).toBeUndefined();
    await client.waitFor(ResourceQuota, { name: "plan", namespace }, (quota) => quota.status?.hard?.["pods"] === "2", within);
    const pod = (name: string) => ({ metadata: { name, namespace }, spec: { containers: [{ name: "c", image: "nginx:1.27" }] } });
    const first = await client.create(Pod, pod("a"));
    expect(first.spec.containers[0]?.resources).toMatchObject({ limits: { cpu: "500m" } });
    await client.create(Pod, pod("b"));
    await expect(client.create(Pod, pod("c"))).rejects.toThrow(Forbidden);
  });

  test("passes a change of a Plan on to all its Tenants and to no other", async ({ client }) => {
    const spec = { namespaces: ["one"] };
    for (const name of ["shared", "other"]) await client.apply(Plan, { metadata: { name }, spec: plan });
    for (const name of ["first", "second"]) await client.apply(Tenant, { metadata: { name }, spec: { ...spec, plan: "shared" } });
    await client.apply(Tenant, { metadata: { name: "third" }, spec: { ...spec, plan: "other" } });
    for (const name of ["first", "second", "third"]) await client.waitFor(Tenant, { name }, hasCondition("Available"), within);
    await client.apply(Plan, { metadata: { name: "shared" }, spec: { quota: { pods: "9" }, isolated: false } });
    for (const tenant of ["first", "second"]) {
      const ref = { name: "plan", namespace: `${tenant}-one` };
      await client.waitFor(ResourceQuota, ref, ({ spec }) => spec?.hard?.["pods"] === "9", within);
      await client.waitForDeletion(LimitRange, ref, within);
      await client.waitForDeletion(NetworkPolicy, { ...ref, name: "same-tenant" }, within);
    }
    expect((await client.get(ResourceQuota, { name: "plan", namespace: "third-one" })).spec?.hard).toEqual({ pods: "2" });
  });

  test("keeps its namespaces while it exceeds its Plan or the Plan is missing, and says so", async ({ client }) => {
    await client.apply(Plan, { metadata: { name: "limited" }, spec: plan });
    const apply = (spec: { plan: string; namespaces: string[] }) => client.apply(Tenant, { metadata: { name: "many" }, spec });
    await apply({ plan: "limited", namespaces: ["a", "b"] });
    await client.waitFor(Tenant, { name: "many" }, hasCondition("Available"), within);
    await apply({ plan: "limited", namespaces: ["a", "b", "c"] });
    await client.waitFor(Tenant, { name: "many" }, (object) => ready(object)?.reason === "TooManyNamespaces", within);
    await apply({ plan: "absent", namespaces: ["a"] });
    const object = await client.waitFor(Tenant, { name: "many" }, (object) => ready(object)?.reason === "PlanNotFound", within);
    expect(ready(object)).toMatchObject({ status: "False", message: expect.stringContaining("Plan absent does not exist") });
    expect((await client.get(Namespace, { name: "many-b" })).metadata.deletionTimestamp).toBeUndefined();
    await apply({ plan: "limited", namespaces: ["a"] });
    await client.waitForDeletion(Namespace, { name: "many-b" }, within);
  });

  test("deletes its namespaces with it", async ({ client }) => {
    await client.apply(Plan, { metadata: { name: "short" }, spec: plan });
    await client.apply(Tenant, { metadata: { name: "gone" }, spec: { plan: "short", namespaces: ["dev"] } });
    await client.waitFor(Tenant, { name: "gone" }, hasCondition("Available"), within);
    await client.delete(Tenant, { name: "gone" });
    await client.waitForDeletion(Namespace, { name: "gone-dev" }, within);
  });

  test.for([
    ["a duplicate namespace", ["dev", "dev"], /spec\.namespaces.*duplicate/],
    ["a namespace that is no DNS label", ["Dev"], /spec\.namespaces\[0\]/],
    ["no namespace", [], /spec\.namespaces/],
  ] as const)("refuses %s", async ([, namespaces, words], { client }) => {
    await expect(client.apply(Tenant, { metadata: { name: "wrong" }, spec: { plan: "small", namespaces } })).rejects.toThrow(words);
  });
});
