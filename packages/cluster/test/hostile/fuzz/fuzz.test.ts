import { afterAll, expect, test, vi } from "vitest";
import { startCluster } from "../../../src/index.ts";
import { createFixtures, readCanaries } from "../fixtures.ts";
import { createRawClient, readCredentials } from "../raw-client.ts";
import { sendMutatedRequests } from "./send-mutated-requests.ts";

const faults = vi.spyOn(console, "error");
afterAll(() => faults.mockRestore());

test("mutated requests cause no internal error", { timeout: 60_000 }, async () => {
  await using cluster = await startCluster({ without: true, http: true });
  const client = createRawClient(readCredentials(cluster.kubeconfig));
  await createFixtures(client);
  const { responsesByClass, failures } = await sendMutatedRequests(cluster, client, { seed: 1, count: 400 });
  expect(failures).toEqual([]);
  expect(faults.mock.calls).toEqual([]);
  // Some mutated requests are still valid, so later stages are reached too.
  expect(responsesByClass.get(2)).toBeGreaterThan(30);
  expect(responsesByClass.get(4)).toBeGreaterThan(100);
  expect(await readCanaries(client)).toEqual({ config: "sings", widget: 1 });
  expect(Object.keys(Object.prototype)).toEqual([]);
  client.close();
});
