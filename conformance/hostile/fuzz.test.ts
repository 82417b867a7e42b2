import { startCluster } from "@pintle/cluster";
import { afterAll, expect, test, vi } from "vitest";
import { credentialsOf, exchange } from "../../packages/cluster/test/hostile/exchange.ts";
import { besiege } from "../../packages/cluster/test/hostile/fuzz/besiege.ts";
import { full, seed } from "../sampling.ts";

const count = full ? 50_000 : 1_000;
const KEPT = "/api/v1/namespaces/kube-public/configmaps";
const faults = vi.spyOn(console, "error");
const unhandled: unknown[] = [];
const remember = (reason: unknown) => unhandled.push(reason);
process.on("unhandledRejection", remember);
afterAll(() => {
  faults.mockRestore();
  process.off("unhandledRejection", remember);
});

test(`${count} spoilt requests find no fault`, { timeout: 20 * 60_000 }, async () => {
  await using cluster = await startCluster({ without: true, http: true });
  const asked = exchange(credentialsOf(cluster.kubeconfig));
  // Out of their reach: some of them are still good, and delete.
  await asked.json("POST", KEPT, { metadata: { name: "kept" }, data: { value: "sings" } });
  const { wrong } = await besiege(cluster, asked, { seed, count });
  expect(wrong).toEqual([]);
  expect(faults.mock.calls).toEqual([]);
  expect(unhandled).toEqual([]);
  expect((await asked.json("GET", `${KEPT}/kept`)).data).toEqual({ value: "sings" });
  asked.close();
});
