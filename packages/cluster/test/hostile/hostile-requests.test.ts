import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type Cluster, startCluster } from "../../src/index.ts";
import { createFixtures, readCanaries } from "./fixtures.ts";
import { hostileRequests } from "./hostile-requests.ts";
import { knownDifferences } from "./known-differences.ts";
import { createRawClient, type RawClient, readCredentials } from "./raw-client.ts";
import { readRecordedResponses, toRecordedResponse } from "./recorded-responses.ts";

const real = await readRecordedResponses();

describe("hostile requests", { timeout: 60_000 }, () => {
  let cluster: Cluster;
  let client: RawClient;
  const faults = vi.spyOn(console, "error");
  beforeAll(async () => {
    cluster = await startCluster({ without: true, http: true });
    client = createRawClient(readCredentials(cluster.kubeconfig));
    await createFixtures(client);
  }, 60_000);
  afterAll(async () => {
    client?.close();
    await cluster?.stop();
    faults.mockRestore();
  });

  test("get the status and reason of a real server, and cause no internal error", async () => {
    const failures: unknown[] = [];
    for (const request of hostileRequests) {
      const response = toRecordedResponse(await client.send(request));
      const expected = real[request.name];
      const same = response.code === expected?.code && response.reason === expected.reason;
      if (!same && !Object.hasOwn(knownDifferences, request.name)) failures.push({ request: request.name, response, expected });
      if (same && Object.hasOwn(knownDifferences, request.name))
        failures.push({ request: request.name, "is not a difference any more": response });
      if (response.code >= 500 && expected?.code !== response.code) failures.push({ request: request.name, response });
    }
    expect(failures).toEqual([]);
    expect(faults.mock.calls).toEqual([]);
  });

  test("change no other object and no prototype of the process", async () => {
    expect(await readCanaries(client)).toEqual({ config: "sings", widget: 1 });
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
    const proto = await client.json("GET", "/api/v1/namespaces/default/configmaps/proto");
    expect(Object.getOwnPropertyDescriptor(proto.data, "__proto__")?.value).toBe("polluted");
  });
});
