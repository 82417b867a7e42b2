import { controller, defineResource, z } from "pintle";
import type { Client } from "pintle/client";
import { Event } from "pintle/kinds/core/v1";
import { virtualClock } from "pintle/testing";
import { describe, expect } from "vitest";
import { clusterTest } from "../src/vitest/index.ts";

const Site = defineResource({
  group: "conflicts.example.com",
  version: "v1",
  kind: "Site",
  spec: z.object({ title: z.string().default("a") }),
  status: z.object({ owner: z.string().optional(), left: z.string().optional(), right: z.string().optional() }),
  conditions: ["Ready", "Left", "Right"],
});
const at = { name: "a", namespace: "default" };
const conditionOf = async (client: Client, type: string) =>
  (await client.get(Site, at)).status?.conditions?.find((each) => each.type === type);

describe("a status that two writers set to different values", () => {
  let isLeftActive = true;
  const claim = (name: string) =>
    controller(Site, {
      name,
      reconcile({ want }) {
        if (name === "left" && !isLeftActive) return;
        return want({ status: { owner: name }, conditions: { Ready: { status: true, reason: name } } });
      },
    });
  const test = clusterTest({ operator: { controllers: [claim("left"), claim("right")] }, clock: virtualClock() });

  test("two controllers back off, one condition and one Event each name both managers and the fields, until one stops", async ({
    cluster,
    client,
  }) => {
    const countWrites = () => cluster.journal.matching({ verb: "patch", resource: "sites/status" }).length;
    await client.create(Site, { metadata: at, spec: {} });
    await cluster.settled();
    const writes = countWrites();
    expect(writes).toBeLessThan(16);
    const conflict = await conditionOf(client, "Conflict");
    const describe = (name: string, other: string) =>
      `${name}: conflict: field manager "${other}" keeps changing Site default/a at .status.owner, .status.conditions[type="Ready"].reason, which this controller sets as field manager "${name}"`;
    const messages = [describe("left", "right"), describe("right", "left")];
    expect(conflict).toMatchObject({ status: "True", reason: "FieldsContested" });
    // Each controller has noticed it, or only the one that was faster.
    expect([...messages, messages.join("; "), messages.toReversed().join("; ")]).toContain(conflict?.message);
    const listEvents = async () => (await client.list(Event, { namespace: "default" })).items.filter(({ reason }) => reason === "Conflict");
    for (const { message } of await listEvents()) expect(messages).toContain(message);
    expect(await listEvents()).not.toEqual([]);

    await cluster.advance(600_000);
    expect(countWrites() - writes).toBeLessThan(30);
    expect((await listEvents()).length).toBeLessThanOrEqual(2);

    isLeftActive = false;
    await cluster.advance(1_200_000);
    expect((await client.get(Site, at)).status?.owner).toBe("right");
    const settled = countWrites();
    await cluster.advance(3_600_000);
    expect([await conditionOf(client, "Conflict"), countWrites()]).toEqual([undefined, settled]);
  });

  test("a client that changes the status back is named with the field", async ({ cluster, client }) => {
    isLeftActive = false;
    await client.create(Site, { metadata: at, spec: {} });
    for (let i = 0; i < 8; i++) {
      await cluster.settled();
      await client.status.patch(Site, at, { merge: { status: { owner: "me" } } }, { fieldManager: "hand" });
    }
    await cluster.settled();
    expect((await client.get(Site, at)).status?.owner).toBe("me");
    expect((await conditionOf(client, "Conflict"))?.message).toBe(
      'right: conflict: field manager "hand" keeps changing Site default/a at .status.owner, which this controller sets as field manager "right"',
    );
    await client.patch(Site, at, { merge: { spec: { title: "b" } } });
    await cluster.settled();
    expect((await client.get(Site, at)).status?.owner).toBe("right");
  });
});

describe("a status that two controllers share", () => {
  const part = (name: "left" | "right", type: "Left" | "Right") =>
    controller(Site, {
      name,
      reconcile: ({ object, want }) =>
        want({
          status: object.spec.title === "none" ? {} : { [name]: object.spec.title },
          conditions: { [type]: { status: true, reason: "Done" } },
        }),
    });
  const test = clusterTest({ operator: { controllers: [part("left", "Left"), part("right", "Right")] }, clock: virtualClock() });

  test("each controller keeps its own fields, settles beside those of the other, and removes its own", async ({ cluster, client }) => {
    await client.create(Site, { metadata: at, spec: {} });
    await cluster.settled();
    const read = async () => {
      const { status } = await client.get(Site, at);
      return { ...status, conditions: status?.conditions?.map(({ type }) => type).sort() };
    };
    expect(await read()).toEqual({ left: "a", right: "a", observedGeneration: 1, conditions: ["Left", "Right"] });
    const countWrites = () => cluster.journal.matching({ verb: "patch", resource: "sites/status" }).length;
    const before = countWrites();
    expect(before).toBeLessThan(12);
    await client.patch(Site, at, { merge: { metadata: { labels: { a: "b" } } } });
    await cluster.settled();
    expect(countWrites()).toBe(before);
    await client.patch(Site, at, { merge: { spec: { title: "none" } } });
    await cluster.settled();
    expect(await read()).toEqual({ observedGeneration: 2, conditions: ["Left", "Right"] });
    expect((await client.list(Event, { namespace: "default" })).items.filter(({ type }) => type === "Warning")).toEqual([]);
  });
});
