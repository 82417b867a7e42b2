import { expect, test } from "vitest";
import { startTestApiServer } from "./harness.ts";

const HALF = "0x8000000000000000";
const LOW = `shardRange(object.metadata.uid, '0x0000000000000000', '${HALF}')`;
const HIGH = `shardRange(object.metadata.uid, '${HALF}', '0x10000000000000000')`;
const path = "/api/v1/namespaces/default/configmaps";
const withShard = (selector: string) => `${path}?shardSelector=${encodeURIComponent(selector)}`;
const names = (body: { readonly items: readonly { readonly metadata: { readonly name: string } }[] }) =>
  body.items.map(({ metadata }) => metadata.name);

test("with ShardedListAndWatch, the shards of a list are disjoint and complete, and name their selector", async () => {
  await using api = await startTestApiServer({ featureGates: { ShardedListAndWatch: true } });
  for (let i = 0; i < 20; i++) await api.send("POST", path, { apiVersion: "v1", kind: "ConfigMap", metadata: { name: `c${i}` } });
  const all = names((await api.send("GET", path)).body);
  const low = (await api.send("GET", withShard(LOW))).body;
  const high = (await api.send("GET", withShard(HIGH))).body;
  expect(names(low).length).toBeGreaterThan(0);
  expect(names(high).length).toBeGreaterThan(0);
  expect([...names(low), ...names(high)].sort()).toEqual([...all].sort());
  expect(low.metadata.shardInfo).toEqual({ selector: LOW });
  expect(names((await api.send("GET", withShard(`${LOW}  ||  ${HIGH}`))).body)).toEqual(all);
});

test("with ShardedListAndWatch, a watch delivers the events of its shard", async () => {
  await using api = await startTestApiServer({ featureGates: { ShardedListAndWatch: true } });
  const low = await api.watch(`${withShard(LOW)}&watch=1`);
  const high = await api.watch(`${withShard(HIGH)}&watch=1`);
  for (let i = 0; i < 20; i++) await api.send("POST", path, { apiVersion: "v1", kind: "ConfigMap", metadata: { name: `c${i}` } });
  const [inLow, inHigh] = [await low.takeEvents(), await high.takeEvents()];
  expect([inLow.length > 0, inHigh.length > 0, inLow.length + inHigh.length]).toEqual([true, true, 20]);
});

test("without the feature gate, shardSelector is ignored", async () => {
  await using api = await startTestApiServer();
  const { status, body } = await api.send("GET", withShard("nonsense("));
  expect([status, body.metadata.shardInfo]).toEqual([200, undefined]);
});
