import { startCluster } from "@pintle/cluster";
import { afterAll, expect, test, vi } from "vitest";
import { sendMutatedRequests } from "../../packages/cluster/test/hostile/fuzz/send-mutated-requests.ts";
import { createRawClient, readCredentials } from "../../packages/cluster/test/hostile/raw-client.ts";
import { full, seed } from "../sampling.ts";

const count = full ? 50_000 : 1_000;
const KEPT = "/api/v1/namespaces/kube-public/configmaps";
const faults = vi.spyOn(console, "error");
const unhandled: unknown[] = [];
const recordUnhandled = (reason: unknown) => unhandled.push(reason);
process.on("unhandledRejection", recordUnhandled);
afterAll(() => {
  faults.mockRestore();
  process.off("unhandledRejection", recordUnhandled);
});

test(`${count} malformed requests cause no server fault`, { timeout: 20 * 60_000 }, async () => {
  await using cluster = await startCluster({ without: true, http: true });
  const client = createRawClient(readCredentials(cluster.kubeconfig));
  // Outside the fuzzed range: some of the mutated requests remain valid and delete objects.
  await client.json("POST", KEPT, { metadata: { name: "kept" }, data: { value: "sings" } });
  const { failures } = await sendMutatedRequests(cluster, client, { seed, count });
  expect(failures).toEqual([]);
  expect(faults.mock.calls).toEqual([]);
  expect(unhandled).toEqual([]);
  expect((await client.json("GET", `${KEPT}/kept`)).data).toEqual({ value: "sings" });
  client.close();
});
