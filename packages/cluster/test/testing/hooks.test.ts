import { ConfigMap } from "pintle/kinds/core/v1";
import { seededRandom, virtualClock } from "pintle/testing";
import { expect, test } from "vitest";
import { useCluster } from "../../src/vitest/index.ts";

const used = useCluster({ clock: virtualClock(), random: seededRandom(1) });
const ref = { name: "a", namespace: "default" };

test("provides one cluster for all tests of the file", async () => {
  await used.client.create(ConfigMap, { metadata: ref });
  await used.cluster.advance(60_000);
  expect(used.cluster.journal.matching({ verb: "create", resource: "configmaps", name: "a" })).toHaveLength(1);
});

test("keeps objects between tests", async () => {
  expect(await used.client.find(ConfigMap, ref)).toBeDefined();
});
