import { describe, expect, test } from "vitest";
import { controller, elsewhere } from "../src/controller/index.ts";
import { ConfigMap, Namespace, Service } from "../src/kinds/generated/core/v1.ts";
import { optionalKind } from "../src/kinds/index.ts";
import { Memcached, memcached, operator, setupManager } from "./fakes/operator.ts";

describe("ownership", () => {
  test("RT-21 rejects an object with another controlling owner, and adopts one without", async () => {
    const { server, clock, lines } = await setupManager([operator], {
      before(s) {
        s.put("deployments", {
          apiVersion: "apps/v1",
          kind: "Deployment",
          metadata: {
            name: "taken",
            namespace: "d",
            ownerReferences: [{ apiVersion: "v1", kind: "Boss", name: "boss", uid: "1", controller: true }],
          },
          spec: { replicas: 1 },
        });
        s.put("deployments", {
          apiVersion: "apps/v1",
          kind: "Deployment",
          metadata: { name: "free", namespace: "d" },
          spec: { replicas: 1 },
        });
      },
    });
    server.put("memcacheds", memcached("taken"));
    server.put("memcacheds", memcached("free"));
    await clock.settle();
    expect(server.get("deployments", "d", "taken")!["spec"].replicas).toBe(1);
    expect(server.get("deployments", "d", "free")!["spec"].replicas).toBe(3);
    const failure = lines.find((line) => line.level === "error");
    expect(failure.error).toMatch(/wants Deployment d\/taken, but Deployment d\/taken is controlled by Boss boss/);
  });

  test("RT-21 throws with advice for a child in another namespace or of an undeclared kind", async () => {
    const abroad = controller(Memcached, {
      name: "abroad",
      owns: [ConfigMap],
      reconcile: ({ want }) => want({ children: { c: ConfigMap.desired({ metadata: { name: "c", namespace: "other" } }) } }),
    });
    const foreign = controller(Memcached, {
      name: "foreign",
      reconcile: ({ want }) => want({ children: { c: ConfigMap.desired({ metadata: { name: "c" } }) as never } }),
    });
    const twice = controller(Memcached, {
      name: "twice",
      owns: [ConfigMap],
      reconcile: ({ want }) =>
        want({ children: { one: ConfigMap.desired({ metadata: { name: "c" } }), two: ConfigMap.desired({ metadata: { name: "c" } }) } }),
    });
    const { lines } = await setupManager([abroad, foreign, twice], { before: (s) => s.put("memcacheds", memcached("a")) });
    const loggedError = (name: string) => lines.find((line) => line.level === "error" && line.controller === name).error;
    expect(loggedError("abroad")).toMatch(
      /ConfigMap other\/c is in another namespace than its owner Memcached d\/a: declare elsewhere\(ConfigMap\)/,
    );
    expect(loggedError("foreign")).toMatch(/returned v1\/ConfigMap c, which is not in its `owns`: add ConfigMap there/);
    expect(loggedError("twice")).toMatch(/children one and two are both ConfigMap d\/c/);
  });

  test("labels and prunes cross-namespace children, and deletes them with their owner", async () => {
    const op = controller(Memcached, {
      name: "op",
      owns: [elsewhere(ConfigMap), Namespace],
      reconcile: ({ object, want }) =>
        want({
          children: {
            ns: Namespace.desired({ metadata: { name: `${object.metadata.name}-ns` } }),
            far: object.spec.size > 1 && ConfigMap.desired({ metadata: { name: "far", namespace: "other" } }),
            near: ConfigMap.desired({ metadata: { name: "near" } }),
          },
        }),
    });
    const { server, clock } = await setupManager([op], { before: (s) => s.put("memcacheds", memcached("a", { size: 2 })) });
    const object = server.get("memcacheds", "d", "a")!;
    expect(object["metadata"].finalizers).toEqual(["pintle.dev/op"]);
    expect(server.get("configmaps", "other", "far")!["metadata"]).toMatchObject({
      labels: { "pintle.dev/owner": object["metadata"].uid },
      annotations: { "pintle.dev/owned-by": "d/a" },
    });
    expect(server.get("configmaps", "d", "near")!["metadata"].ownerReferences).toHaveLength(1);
    expect(server.list("namespaces")).toHaveLength(1);
    server.put("configmaps", { metadata: { name: "far", namespace: "other" }, metadata2: undefined });
    server.put("memcacheds", memcached("a", { size: 1 }));
    await clock.settle();
    expect(server.get("configmaps", "other", "far")).toBeUndefined();
    server.put("memcacheds", memcached("a", { size: 2 }));
    await clock.settle();
    expect(server.get("configmaps", "other", "far")).toBeDefined();
    server.remove("memcacheds", "d", "a");
    await clock.settle();
    expect(server.list("namespaces")).toHaveLength(0);
    expect(server.get("configmaps", "other", "far")).toBeUndefined();
    expect(server.get("memcacheds", "d", "a")).toBeUndefined();
  });

  test("deletes orphaned cross-namespace children at the start, after a live read of the owner", async () => {
    const op = controller(Memcached, { name: "op", owns: [Namespace], reconcile: ({ want }) => want({ children: {} }) });
    const namespace = (name: string, owner: string, by: string) => ({
      apiVersion: "v1",
      kind: "Namespace",
      metadata: {
        name,
        labels: { "pintle.dev/owner": owner },
        annotations: { "pintle.dev/owned-by": "d/gone", "pintle.dev/applied": `${by} x` },
      },
    });
    const { server } = await setupManager([op], {
      before(s) {
        s.put("namespaces", namespace("left", "no-such-uid", "op"));
        s.put("namespaces", namespace("theirs", "no-such-uid", "another"));
      },
    });
    expect(server.list("namespaces").map((object) => object["metadata"].name)).toEqual(["theirs"]);
    expect(server.requests).toContain("GET /apis/cache.example.com/v1alpha1/namespaces/d/memcacheds/gone");
  });

  test("reads a cluster-scoped object live before applying to it", async () => {
    const op = controller(Memcached, {
      name: "op",
      owns: [Namespace],
      reconcile: ({ want }) => want({ children: { ns: Namespace.desired({ metadata: { name: "shared" } }) } }),
    });
    const { server, lines } = await setupManager([op], {
      before(s) {
        s.put("namespaces", {
          apiVersion: "v1",
          kind: "Namespace",
          metadata: { name: "shared", labels: { "pintle.dev/owner": "other-uid" } },
        });
        s.put("memcacheds", memcached("a"));
      },
    });
    expect(server.list("namespaces")[0]!["metadata"].labels).toEqual({ "pintle.dev/owner": "other-uid" });
    expect(JSON.stringify(lines)).toMatch(/Namespace shared is controlled by the object with uid other-uid/);
  });
});

test("RT-70 a child of an optional kind is applied once its CRD is installed, without a restart", async () => {
  const OptionalService = optionalKind(Service);
  const op = controller(Memcached, {
    owns: [OptionalService, ConfigMap],
    reconcile: ({ want }) =>
      want({
        children: {
          service: OptionalService.desired({ metadata: { name: "s" }, spec: {} }),
          map: ConfigMap.desired({ metadata: { name: "m" } }),
        },
      }),
  });
  const serves = new Set(["memcacheds", "configmaps", "events"]);
  const { server, clock, lines } = await setupManager([op], { before: (s) => s.put("memcacheds", memcached("a")), serves });
  expect(server.list("configmaps")).toHaveLength(1);
  expect(server.list("services")).toHaveLength(0);
  serves.add("services");
  await clock.advance(15_000);
  expect(server.list("services")).toHaveLength(1);
  expect(lines.filter((line) => line.level === "error")).toEqual([]);
});
