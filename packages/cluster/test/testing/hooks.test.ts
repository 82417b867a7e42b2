import { ConfigMap } from "pintle/kinds/core/v1";
import { seeded, virtualClock } from "pintle/testing";
import { expect, test } from "vitest";
import { useCluster } from "../../src/vitest/index.ts";

const used = useCluster({ clock: virtualClock(), random: seeded(1) });
const ref = { name: "a", namespace: "default" };

test("one cluster for all tests of the file", async () => {
  await used.client.create(ConfigMap, { metadata: ref });
  await used.cluster.advance(60_000);
  expect(used.cluster.journal.matching({ verb: "create", resource: "configmaps", name: "a" })).toHaveLength(1);
});

test("what one left is there for the next", async () => {
  expect(await used.client.find(ConfigMap, ref)).toBeDefined();
});
