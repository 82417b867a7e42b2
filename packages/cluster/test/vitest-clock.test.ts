import { controller, startManager } from "pintle";
import { ConfigMap } from "pintle/kinds/core/v1";
import { virtualClock } from "pintle/testing";
import { expect } from "vitest";
import { clusterTest } from "../src/vitest/index.ts";

const clock = virtualClock("2026-03-29T00:00:00Z");
const test = clusterTest({ clock });

test("an operator on a cluster with a virtual clock reconciles in the time of that clock", async ({ cluster, client, namespace }) => {
  const times: string[] = [];
  const op = controller(ConfigMap, {
    name: "op",
    when: (_, now) => now?.metadata.namespace === namespace && now.metadata.name === "a",
    reconcile({ now, want }) {
      times.push(now.toISOString());
      return want({ requeueAfter: "1h" });
    },
  });
  const manager = startManager({ controllers: [op], client, clock, namespaces: [namespace], leaderElection: false });
  await manager.ready;
  const { metadata } = await client.create(ConfigMap, { metadata: { name: "a", namespace } });
  expect(metadata.creationTimestamp).toBe("2026-03-29T00:00:00Z");
  await cluster.settled();
  await clock.advance(7_200_000);
  await manager.stop();
  expect(times).toEqual(["2026-03-29T00:00:00.000Z", "2026-03-29T01:00:00.000Z", "2026-03-29T02:00:00.000Z"]);
});
