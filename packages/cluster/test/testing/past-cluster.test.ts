import { Deployment } from "pintle/kinds/apps/v1";
import { ConfigMap } from "pintle/kinds/core/v1";
import { seededRandom, virtualClock } from "pintle/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Cluster, CompactedError, startCluster } from "../../src/index.ts";

const namespace = "default";
const config = { name: "settings", namespace };
const START = Date.UTC(2026, 0, 1);
let cluster: Cluster;
let created: number;
let changed: number;

beforeAll(async () => {
  cluster = await startCluster({ clock: virtualClock(START), random: seededRandom(7) });
  await cluster.ready;
  const client = cluster.client({ fieldManager: "editor" });
  const first = await client.create(ConfigMap, { metadata: config, data: { size: "1", colour: "red" } });
  created = Number(first.metadata.resourceVersion);
  await cluster.advance(60_000);
  const second = await client.patch(ConfigMap, config, { merge: { data: { size: "2" } } });
  changed = Number(second.metadata.resourceVersion);
  await client.delete(ConfigMap, config);
});
afterAll(() => cluster.stop());

test("reads objects as they were at a revision, also deleted ones", async () => {
  await using before = cluster.at(created - 1);
  await using first = cluster.at(created);
  await using second = cluster.at(changed);
  const read = async (past: typeof first) => (await (await past.client()).find(ConfigMap, config))?.data;
  expect(await Promise.all([before, first, second].map(read))).toEqual([
    undefined,
    { size: "1", colour: "red" },
    { size: "2", colour: "red" },
  ]);
  expect(await cluster.client().find(ConfigMap, config)).toBeUndefined();
});

test("knows the time of a revision, also in a fork", async () => {
  expect(cluster.at(created).time).toBe(START);
  expect(cluster.at(changed).time).toBe(START + 60_000);
  await using fork = await cluster.fork();
  expect(fork.at(changed).time).toBe(START + 60_000);
});

test("lists what differs between two revisions with field paths", () => {
  const summaryOf = (from: number, to?: number) =>
    cluster
      .at(from)
      .diff(to)
      .filter(({ name }) => name === "settings");
  expect(summaryOf(created, changed)).toMatchObject([
    { kind: "ConfigMap", type: "changed", fields: [{ path: ".data.size", old: "1", new: "2" }] },
  ]);
  expect(summaryOf(changed, created)).toMatchObject([{ type: "changed", fields: [{ path: ".data.size", old: "2", new: "1" }] }]);
  expect(summaryOf(created - 1, created)).toMatchObject([{ type: "created", fields: [] }]);
  expect(summaryOf(changed)).toMatchObject([{ type: "deleted", fields: [] }]);
});

test("forks the whole cluster at a revision: time, objects and controllers continue from there", async () => {
  await using fork = await cluster.at(created).fork();
  expect(fork.clock.now()).toBe(START);
  const client = fork.client();
  expect((await client.get(ConfigMap, config)).data).toEqual({ size: "1", colour: "red" });
  const labels = { app: "web" };
  const template = { metadata: { labels }, spec: { containers: [{ name: "main", image: "web:1" }] } };
  const spec = { replicas: 2, selector: { matchLabels: labels }, template };
  await client.create(Deployment, { metadata: { name: "web", namespace }, spec });
  await fork.settled();
  expect((await client.get(Deployment, { name: "web", namespace })).status.readyReplicas).toBe(2);
  expect(await cluster.client().find(Deployment, { name: "web", namespace })).toBeUndefined();
});

test("refuses revisions that never were or are compacted, with the range that can be read", async () => {
  await using fork = await cluster.fork();
  const current = fork.server.store.currentRevision();
  await fork.server.store.compact(changed);
  expect(() => fork.at(created)).toThrow(CompactedError);
  expect(() => fork.at(created)).toThrow(`revision ${created} is compacted, the oldest available is ${changed}`);
  expect(() => fork.at(current + 1)).toThrow(`must be a revision from 1 to the current one, ${current}`);
  expect(() => fork.at(1.5)).toThrow("must be a revision");
});

test("tells manager, revision and time of the commit that gave each field its value", async () => {
  await using fork = await cluster.at(changed).fork();
  const fields = new Map((await fork.blame(ConfigMap, config))!.map((field) => [field.path, field]));
  expect(fields.get(".data.size")).toMatchObject({
    value: "2",
    managers: [{ manager: "editor", operation: "Update" }],
    since: changed,
    time: START + 60_000,
  });
  expect(fields.get(".data.colour")).toMatchObject({ since: created, time: START });
  expect(fields.get(".metadata.uid")).toMatchObject({ managers: [], since: created });
  expect(await fork.blame(ConfigMap, { name: "none", namespace })).toBeUndefined();
  expect(await cluster.blame(ConfigMap, config)).toBeUndefined();
});
