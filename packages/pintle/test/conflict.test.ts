import { describe, expect, test } from "vitest";
import { allow } from "../src/client/index.ts";
import { controller, failed } from "../src/controller/index.ts";
import { ConfigMap } from "../src/kinds/generated/core/v1.ts";
import { objectFixture, simulate } from "../src/testing/index.ts";
import { Memcached, memcached, setupManager } from "./fakes/operator.ts";

const op = controller(Memcached, {
  owns: [ConfigMap],
  reconcile: ({ object, want }) =>
    want({
      children: { map: ConfigMap.desired({ metadata: { name: object.metadata.name }, data: { v: "ours" } }) },
      conditions: { Available: { status: true, reason: "Applied" } },
    }),
});
const at = { name: "a", namespace: "d" };
const theirs = { metadata: at, data: { v: "theirs" } };
const MESSAGE =
  'memcached: conflict: another writer keeps changing ConfigMap d/a at .data.v, which this controller sets as field manager "memcached"';

describe("a child that another writer keeps changing", () => {
  test("is left alone after five repairs in a minute, with one Event and the condition Conflict, until a repair lasts", async () => {
    const { server, clock, writes, lines } = await setupManager([op], { before: (s) => s.put("memcacheds", memcached("a")) });
    const applies = () => writes().filter((line) => line.endsWith("/configmaps/a")).length;
    const readValue = () => server.get("configmaps", "d", "a")!["data"].v;
    const conflict = () => server.get("memcacheds", "d", "a")!["status"].conditions.find(({ type }: any) => type === "Conflict");
    const contest = async () => {
      server.put("configmaps", theirs);
      await clock.settle();
    };
    const before = applies();
    for (let i = 0; i < 4; i++) await contest();
    expect([applies() - before, conflict()]).toEqual([4, undefined]);
    for (let i = 0; i < 20; i++) await contest();
    expect([applies() - before, readValue()]).toEqual([5, "theirs"]);
    expect(conflict()).toMatchObject({ status: "True", reason: "FieldsContested", message: MESSAGE });
    expect(lines.filter(({ message }) => message.startsWith("Conflict with another field manager"))).toMatchObject([
      { level: "warn", child: "ConfigMap d/a", managers: [], fields: [".data.v"], fieldManager: "memcached" },
    ]);

    // A repair after 10 s does not last; the next one is after 20 s.
    await clock.advance(10_000);
    expect([applies() - before, readValue()]).toEqual([6, "ours"]);
    await contest();
    await clock.advance(19_000);
    expect([applies() - before, readValue()]).toEqual([6, "theirs"]);
    await clock.advance(1_000);
    expect([applies() - before, readValue()]).toEqual([7, "ours"]);
    expect(server.list("events").filter(({ reason }: any) => reason === "Conflict")).toMatchObject([{ note: MESSAGE, type: "Warning" }]);

    // The last repair lasts: the conflict is over, and a change is repaired at once.
    await clock.advance(40_000);
    expect(conflict()).toBeUndefined();
    await contest();
    expect(readValue()).toBe("ours");
  });

  test("changes five times over several minutes are repaired without a conflict", async () => {
    const { server, clock } = await setupManager([op], { before: (s) => s.put("memcacheds", memcached("a")) });
    for (let i = 0; i < 8; i++) {
      server.put("configmaps", theirs);
      await clock.advance(20_000);
      expect(server.get("configmaps", "d", "a")!["data"].v).toBe("ours");
    }
  });

  test("a status that another writer keeps changing is left alone in simulate() too; a failure and its end are no conflict", async () => {
    let failure: Error | undefined;
    const reporting = controller(Memcached, {
      reconcile({ want }) {
        return want({ status: { nodes: ["ours"] }, conditions: { Available: { status: true, reason: "Fine" } }, failure });
      },
    });
    const sim = await simulate(reporting, [Memcached.desired({ metadata: at, spec: {} })]);
    const status = () => sim.get(Memcached, at)?.status;
    for (let i = 0; i < 8; i++) {
      failure = i % 2 === 0 ? failed("Unreachable", "no answer") : undefined;
      await sim.advance(1_000);
      await sim.put(objectFixture(Memcached, "a", { metadata: { namespace: "d", labels: { poke: `${i}` } } }));
    }
    failure = undefined;
    await sim.advance(120_000);
    expect([status()?.nodes, status()?.conditions?.map(({ type }) => type)]).toEqual([["ours"], ["Available"]]);
    for (let i = 0; i < 8; i++) await sim.put([Memcached, { metadata: at, status: { ...status(), nodes: ["theirs"] } }]);
    expect(status()?.nodes).toEqual(["theirs"]);
    expect(status()?.conditions?.find(({ type }) => type === "Conflict")?.message).toBe(
      'memcached: conflict: another writer keeps changing Memcached d/a at .status.nodes[0], which this controller sets as field manager "memcached"',
    );
    await sim.advance(10_000);
    expect(status()?.nodes).toEqual(["ours"]);
    await sim.advance(60_000);
    expect(status()?.conditions?.map(({ type }) => type)).toEqual(["Available"]);
  });

  test("a new desired state is applied at once, also during a conflict", async () => {
    let value = "ours";
    const changing = controller(Memcached, {
      owns: [ConfigMap],
      reconcile: ({ object, want }) =>
        want({ children: { map: ConfigMap.desired({ metadata: { name: object.metadata.name }, data: { v: value } }) } }),
    });
    const sim = await simulate(changing, [Memcached.desired({ metadata: at, spec: {} })]);
    for (let i = 0; i < 6; i++) await sim.put([ConfigMap, theirs]);
    expect(sim.get(ConfigMap, at)?.data).toEqual({ v: "theirs" });
    expect(sim.get(Memcached, at)?.status?.conditions).toMatchObject([{ type: "Conflict", status: "True", message: MESSAGE }]);
    expect(sim.events).toMatchObject([{ reason: "Conflict", type: "Warning" }]);
    value = "new";
    await sim.put(objectFixture(Memcached, "a", { metadata: { namespace: "d", labels: { poke: "1" } } }));
    expect(sim.get(ConfigMap, at)?.data).toEqual({ v: "new" });
  });
});

describe("a child that another client keeps deleting", () => {
  const DELETED =
    'memcached: conflict: another client keeps deleting ConfigMap d/a, which this controller creates as field manager "memcached"';
  const conflictOf = (object: any) => object.status?.conditions?.find(({ type }: any) => type === "Conflict");

  test("is created again five times in a minute, then with backoff, with one Event and the condition Conflict, until it stays", async () => {
    const { server, clock, writes } = await setupManager([op], { before: (s) => s.put("memcacheds", memcached("a")) });
    const applies = () => writes().filter((line) => line.endsWith("/configmaps/a")).length;
    const conflict = () => conflictOf(server.get("memcacheds", "d", "a"));
    const remove = async () => {
      server.remove("configmaps", "d", "a");
      await clock.settle();
    };
    const before = applies();
    for (let i = 0; i < 4; i++) await remove();
    expect([applies() - before, conflict()]).toEqual([4, undefined]);
    for (let i = 0; i < 20; i++) await remove();
    expect(applies() - before).toBe(5);
    expect(conflict()).toMatchObject({ status: "True", reason: "ChildrenContested", message: DELETED });

    await clock.advance(10_000);
    expect(applies() - before).toBe(6);
    await remove();
    await clock.advance(19_000);
    expect(applies() - before).toBe(6);
    await clock.advance(1_000);
    expect(applies() - before).toBe(7);
    expect(server.list("events").filter(({ reason }: any) => reason === "Conflict")).toMatchObject([{ note: DELETED }]);

    await clock.advance(60_000);
    expect([conflict(), applies() - before]).toEqual([undefined, 7]);
    await remove();
    expect(server.get("configmaps", "d", "a")).toBeDefined();
  });

  test("in simulate() too; a child that the controller itself deletes or prunes is no conflict", async () => {
    const sim = await simulate(op, [Memcached.desired({ metadata: at, spec: {} })]);
    for (let i = 0; i < 6; i++) await sim.delete(ConfigMap, at);
    expect(sim.get(ConfigMap, at)).toBeUndefined();
    expect(conflictOf(sim.get(Memcached, at)).message).toBe(DELETED);
    expect(sim.lastPlan(at)).toMatchObject([{ step: "wait", reason: "backs off: another client keeps deleting ConfigMap d/a" }]);

    let isWanted = true;
    let deletes = false;
    const alternating = controller(Memcached, {
      owns: [ConfigMap],
      needs: [allow(ConfigMap, "delete")],
      async reconcile({ object, want, client }) {
        const { name, namespace } = object.metadata;
        if (deletes) await client.delete(ConfigMap, { name, namespace });
        deletes = false;
        return want({
          children: { map: isWanted && ConfigMap.desired({ metadata: { name } }) },
          conditions: { Available: { status: true, reason: "Applied" } },
        });
      },
    });
    const own = await simulate(alternating, [Memcached.desired({ metadata: at, spec: {} })]);
    for (let i = 0; i < 40; i++) {
      isWanted = i >= 20 || i % 2 === 1;
      deletes = i > 20;
      await own.put(objectFixture(Memcached, "a", { metadata: { namespace: "d", labels: { poke: `${i}` } } }));
    }
    expect([own.get(ConfigMap, at) !== undefined, conflictOf(own.get(Memcached, at))]).toEqual([true, undefined]);
  });

  test("a child that another client keeps creating is pruned with backoff", async () => {
    let isWanted = true;
    const pruning = controller(Memcached, {
      owns: [ConfigMap],
      reconcile: ({ object, want }) =>
        want({
          children: { map: isWanted && ConfigMap.desired({ metadata: { name: object.metadata.name } }) },
          conditions: { Available: { status: true, reason: "Applied" } },
        }),
    });
    const sim = await simulate(pruning, [Memcached.desired({ metadata: at, spec: {} })]);
    const { resourceVersion: _, uid: __, ...metadata } = sim.get(ConfigMap, at)!.metadata;
    isWanted = false;
    await sim.put(objectFixture(Memcached, "a", { metadata: { namespace: "d", labels: { poke: "1" } } }));
    expect(sim.get(ConfigMap, at)).toBeUndefined();
    for (let i = 0; i < 8; i++) await sim.put([ConfigMap, { metadata }]);
    expect(sim.get(ConfigMap, at)).toBeDefined();
    expect(conflictOf(sim.get(Memcached, at))).toMatchObject({
      reason: "ChildrenContested",
      message:
        'memcached: conflict: another client keeps creating ConfigMap d/a, which this controller prunes as field manager "memcached"',
    });
    await sim.advance(10_000);
    expect(sim.get(ConfigMap, at)).toBeUndefined();
    await sim.advance(60_000);
    expect(conflictOf(sim.get(Memcached, at))).toBeUndefined();
  });
});
