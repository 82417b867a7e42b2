import { describe, expect, test } from "vitest";
import * as z from "zod";
import { controller, InvalidUsage, type WatchMapping } from "../src/controller/index.ts";
import { ConfigMap, Namespace, Node, Secret } from "../src/kinds/generated/core/v1.ts";
import type { LabelSelector } from "../src/kinds/index.ts";
import { defineResource } from "../src/resource/index.ts";
import { objectFixture, simulate } from "../src/testing/index.ts";
import { Memcached, memcached, setupManager } from "./fakes/operator.ts";

const spec = z.object({ refs: z.array(z.string()).default([]), selector: z.record(z.string(), z.string()).optional() });
const status = z.object({ found: z.array(z.string()) });
const Tenant = defineResource({ group: "example.com", version: "v1", kind: "Tenant", scope: "Cluster", spec, status });
const Site = defineResource({ group: "example.com", version: "v1", kind: "Site", spec, status });

type Primary = { readonly spec: { readonly refs: readonly string[]; readonly selector?: Readonly<Record<string, string>> | undefined } };
const byRefs = { name: ({ spec }: Primary) => spec.refs };
const bySelector = { selector: ({ spec }: Primary): LabelSelector | undefined => spec.selector && { matchLabels: spec.selector } };
const formatRefs = (objects: readonly { readonly metadata: { readonly name: string; readonly namespace?: string | undefined } }[]) =>
  objects.map(({ metadata }) => `${metadata.namespace ?? ""}/${metadata.name}`).sort();

/** A controller that lists the ConfigMaps it refers to in its status. */
const reporting = (kind: typeof Tenant | typeof Site, by: WatchMapping<Primary, ConfigMap>) =>
  controller(kind as typeof Site, {
    watches: { maps: { kind: ConfigMap, by } },
    reconcile: ({ related, want }) => want({ status: { found: formatRefs(related.maps) } }),
  });
const map = (namespace: string, name: string, labels = {}) => objectFixture(ConfigMap, name, { metadata: { namespace, labels } });

describe("references", () => {
  test("a cluster-scoped object refers to namespaced objects: with a namespace to one, without to those of that name in every namespace", async () => {
    const sim = await simulate(reporting(Tenant, byRefs), [
      Tenant.desired({ metadata: { name: "one" }, spec: { refs: ["x/a"] } }),
      Tenant.desired({ metadata: { name: "all" }, spec: { refs: ["a"] } }),
      map("x", "a"),
      map("y", "a"),
    ]);
    const found = (name: string) => sim.get(Tenant, { name })?.status?.found;
    expect([found("one"), found("all")]).toEqual([["x/a"], ["x/a", "y/a"]]);
    const before = sim.plans.length;
    await sim.put(map("z", "a"));
    expect([found("one"), found("all")]).toEqual([["x/a"], ["x/a", "y/a", "z/a"]]);
    expect(sim.plans).toHaveLength(before + 1);
    await sim.delete(ConfigMap, { namespace: "x", name: "a" });
    expect([found("one"), found("all")]).toEqual([[], ["y/a", "z/a"]]);
  });

  test("a namespaced object refers to its own namespace, or to another one that it names", async () => {
    const by = { name: ({ spec }: Primary) => [...spec.refs, { name: "shared", namespace: "y" }] };
    const sim = await simulate(reporting(Site, by), [
      Site.desired({ metadata: { name: "s", namespace: "x" }, spec: { refs: ["a", "a", "y/b"] } }),
      ...["x", "y"].flatMap((namespace) => [map(namespace, "a"), map(namespace, "b")]),
    ]);
    const found = () => sim.get(Site, { name: "s", namespace: "x" })?.status?.found;
    expect(found()).toEqual(["x/a", "y/b"]);
    await sim.put(map("y", "shared"));
    expect(found()).toEqual(["x/a", "y/b", "y/shared"]);
  });

  test.each([
    ["own", ["x/one"]],
    ["all", ["x/one", "y/two"]],
  ] as const)("a selector of the primary object selects in %s namespaces, and follows changed labels", async (namespaces, expected) => {
    const sim = await simulate(reporting(Site, { ...bySelector, namespaces }), [
      Site.desired({ metadata: { name: "s", namespace: "x" }, spec: { selector: { app: "web" } } }),
      Site.desired({ metadata: { name: "none", namespace: "x" }, spec: {} }),
      map("x", "one", { app: "web" }),
      map("x", "other", { app: "db" }),
      map("y", "two", { app: "web" }),
    ]);
    const found = (name: string) => sim.get(Site, { name, namespace: "x" })?.status?.found;
    expect([found("s"), found("none")]).toEqual([expected, []]);
    await sim.put(map("x", "other", { app: "web" }));
    expect(found("s")).toEqual([...expected, "x/other"].sort());
    await sim.put(map("x", "one", { app: "db" }));
    expect(found("s")).toEqual([...expected, "x/other"].filter((each) => each !== "x/one").sort());
    await sim.put([Site, { metadata: { name: "s", namespace: "x" }, spec: { selector: { app: "db" } } }]);
    expect(found("s")).toEqual(["x/one"]);
  });

  test("a selector without required values is compared with every object", async () => {
    const by = { selector: () => ({ matchExpressions: [{ key: "app", operator: "Exists" as const }] }) };
    const sim = await simulate(reporting(Tenant, by), [Tenant.desired({ metadata: { name: "t" }, spec: {} })]);
    await sim.put(map("x", "one", { app: "web" }));
    expect(sim.get(Tenant, { name: "t" })?.status?.found).toEqual(["x/one"]);
  });

  const declare = (by: unknown, kind = Namespace) => controller(Site, { watches: { seen: { kind, by: by as never } }, reconcile() {} });
  test.each([
    ["owner", "an object of Namespace, which is cluster-scoped, cannot have an owner of Site, which is namespaced"],
    [{ label: "site" }, "the value of a label cannot name an object of Site with its namespace"],
    [{ ...bySelector, namespaces: "own" }, '`namespaces: "own"`, but Namespace is cluster-scoped'],
    [{ labels: "site" }, "exactly one of label, annotation, name and selector"],
    [{ label: "site", name: () => "a" }, "exactly one of label, annotation, name and selector"],
    [{ label: "" }, '"" is no key of a label or an annotation'],
    [{ annotation: "example.com/a/b" }, '"example.com/a/b" is no key'],
  ])("a mapping that can never match is refused when the controller is declared: %j", (by, message) => {
    expect(() => declare(by)).toThrow(InvalidUsage);
    expect(() => declare(by)).toThrow(`controller site, watches seen: `);
    expect(() => declare(by)).toThrow(message);
  });

  test("a reference with a namespace to a cluster-scoped object fails the reconciliation", async () => {
    const site = controller(Site, {
      watches: { nodes: { kind: Node, by: byRefs } },
      reconcile: ({ related, want }) => want({ status: { found: formatRefs(related.nodes) } }),
    });
    await expect(simulate(site, [Site.desired({ metadata: { name: "s" }, spec: { refs: ["x/n"] } })])).rejects.toThrow(
      "watches site nodes: Node x/n has a namespace, but Node is cluster-scoped",
    );
  });

  test("a reference to a namespace that the manager does not watch fails the reconciliation", async () => {
    const op = controller(Memcached, {
      watches: { secrets: { kind: Secret, by: { name: ({ spec }) => spec.secretName } } },
      reconcile: ({ related, want }) => want({ status: { nodes: related.secrets.map(({ metadata }) => metadata.name) } }),
    });
    const { lines } = await setupManager([op], {
      namespaces: ["d"],
      before: (server) => server.put("memcacheds", memcached("a", { size: 1, secretName: "e/s" })),
    });
    expect(lines.find(({ level }) => level === "error")?.error).toBe(
      "watches memcached secrets: Secret e/s is not in a watched namespace (d): add e to the namespaces of the manager",
    );
  });
});
