import { allow, controller, defineResource, z } from "pintle";
import type { Client } from "pintle/client";
import { ConfigMap, Event } from "pintle/kinds/core/v1";
import { virtualClock } from "pintle/testing";
import { describe, expect } from "vitest";
import { clusterTest } from "../src/vitest/index.ts";

const Site = defineResource({
  group: "conflicts.example.com",
  version: "v1",
  kind: "Site",
  spec: z.object({ title: z.string().default("a") }),
  conditions: ["Ready"],
});
const at = { name: "a", namespace: "default" };
const conflictOf = async (client: Client) => (await client.get(Site, at)).status?.conditions?.find(({ type }) => type === "Conflict");
const conflictEvents = async (client: Client) =>
  (await client.list(Event, { namespace: "default" })).items.filter(({ reason }) => reason === "Conflict").map(({ message }) => message);

describe("a child that one controller creates and another one deletes", () => {
  let isDeleting = true;
  const creator = controller(Site, {
    name: "creator",
    owns: [ConfigMap],
    reconcile: ({ object, want }) =>
      want({
        children: { map: ConfigMap.desired({ metadata: { name: object.metadata.name } }) },
        conditions: { Ready: { status: true, reason: "Applied" } },
      }),
  });
  const deleter = controller(ConfigMap, {
    name: "deleter",
    needs: [allow(ConfigMap, "delete")],
    when: (_, now) => now?.metadata.name === "a",
    reconcile: ({ object, client }) => (isDeleting ? client.delete(ConfigMap, object.metadata).then(() => {}) : undefined),
  });
  const test = clusterTest({ operator: { controllers: [creator, deleter] }, clock: virtualClock() });

  test("is created with backoff, and one condition and one Event name both controllers, until the other one stops", async ({
    cluster,
    client,
  }) => {
    isDeleting = true;
    const countDeletes = () => cluster.journal.matching({ verb: "delete", resource: "configmaps" }).length;
    await client.create(Site, { metadata: at, spec: {} });
    await cluster.settled();
    expect(countDeletes()).toBeLessThan(10);
    const message =
      'creator: conflict: field manager "deleter" keeps deleting ConfigMap default/a, which this controller creates as field manager "creator"';
    expect(await conflictOf(client)).toMatchObject({ status: "True", reason: "ChildrenContested", message });
    await cluster.advance(600_000);
    expect(countDeletes()).toBeLessThan(20);
    expect(await conflictEvents(client)).toEqual([message]);

    isDeleting = false;
    await cluster.advance(600_000);
    expect([await conflictOf(client), (await client.find(ConfigMap, at)) !== undefined]).toEqual([undefined, true]);
  });
});

describe("two controllers of one kind that each have a conflict", () => {
  const owner = (name: string) =>
    controller(Site, {
      name,
      owns: [ConfigMap],
      reconcile: ({ object, want }) =>
        want({ children: { [name]: ConfigMap.desired({ metadata: { name }, data: { v: object.spec.title } }) } }),
    });
  const test = clusterTest({ operator: { controllers: [owner("left"), owner("right")] }, clock: virtualClock() });

  test("share the condition: its message lists both, until each is over", async ({ cluster, client }) => {
    await client.create(Site, { metadata: at, spec: {} });
    await cluster.settled();
    const contest = async (...names: readonly string[]) => {
      for (const name of names)
        await client.patch(
          ConfigMap,
          { name, namespace: "default" },
          { merge: { data: { v: "theirs" } } },
          { fieldManager: `${name}-hand` },
        );
      await cluster.settled();
    };
    const part = (name: string) =>
      `${name}: conflict: field manager "${name}-hand" keeps changing ConfigMap default/${name} at .data.v, which this controller sets as field manager "${name}"`;
    for (let i = 0; i < 7; i++) await contest("left", "right");
    await cluster.advance(5_000);
    const [first, second] = (await conflictOf(client))?.message?.startsWith("left") ? ["left", "right"] : ["right", "left"];
    expect((await conflictOf(client))?.message).toBe(`${part(first as string)}; ${part(second as string)}`);
    expect((await conflictEvents(client)).sort()).toEqual([part("left"), part("right")]);

    await cluster.advance(5_000);
    for (let i = 0; i < 12; i++) {
      await contest("right");
      await cluster.advance(10_000);
    }
    expect((await conflictOf(client))?.message).toBe(part("right"));
    await cluster.advance(1_200_000);
    expect(await conflictOf(client)).toBeUndefined();
  });
});
