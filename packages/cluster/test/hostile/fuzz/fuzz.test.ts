import { afterAll, expect, test, vi } from "vitest";
import { startCluster } from "../../../src/index.ts";
import { credentialsOf, exchange } from "../exchange.ts";
import { canaries, layGround } from "../ground.ts";
import { besiege } from "./besiege.ts";

const faults = vi.spyOn(console, "error");
afterAll(() => faults.mockRestore());

test("a server takes whatever is left of good requests", { timeout: 60_000 }, async () => {
  await using cluster = await startCluster({ without: true, http: true });
  const asked = exchange(credentialsOf(cluster.kubeconfig));
  await layGround(asked);
  const { answered, wrong } = await besiege(cluster, asked, { seed: 1, count: 400 });
  expect(wrong).toEqual([]);
  expect(faults.mock.calls).toEqual([]);
  // Spoilt as they are, some are still good: the deeper parts are reached too.
  expect(answered.get(2)).toBeGreaterThan(30);
  expect(answered.get(4)).toBeGreaterThan(100);
  expect(await canaries(asked)).toEqual({ config: "sings", widget: 1 });
  expect(Object.keys(Object.prototype)).toEqual([]);
  asked.close();
});
