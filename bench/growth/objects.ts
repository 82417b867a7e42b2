import { createMemcachedLoad } from "../harness/load/memcached-load.ts";
import type { GrowthSample, GrowthSetup } from "./index.ts";

/** CPU of the operator and of the API server from the creation of n objects until all have a status. */
export async function measureObjects({ server, client, startProgram }: GrowthSetup, n: number): Promise<GrowthSample> {
  const load = createMemcachedLoad(client);
  const operator = startProgram("peers/pintle/operator.js", ["--metrics-bind-address=0", "--health-probe-bind-address=0"]);
  try {
    await load.create("first");
    await load.waitForStatuses(1);
    await operator.waitUntilIdle();
    const before = { operator: operator.cpuSeconds(), server: server.cpuSeconds() };
    await load.createRange(0, n);
    await load.waitForStatuses(n + 1);
    await operator.waitUntilIdle();
    return { "operator CPU": operator.cpuSeconds() - before.operator, "API server CPU": server.cpuSeconds() - before.server };
  } finally {
    await operator.stop();
    await load.stop();
    await load.deleteAll();
  }
}
