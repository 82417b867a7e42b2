import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createFixtures } from "../../packages/cluster/test/hostile/fixtures.ts";
import { hostileRequests } from "../../packages/cluster/test/hostile/hostile-requests.ts";
import { createRawClient, type RawClient, readCredentials } from "../../packages/cluster/test/hostile/raw-client.ts";
import { readRecordedResponses, toRecordedResponse } from "../../packages/cluster/test/hostile/recorded-responses.ts";
import { type ControlPlane, startControlPlane } from "../real/index.ts";
import { full, seed } from "../sampling.ts";

/** The unit tests compare the embedded cluster with the recording; this test compares the recording with a real server. */
describe("a real server", { timeout: 120_000 }, () => {
  let real: ControlPlane;
  let client: RawClient;
  beforeAll(async () => {
    real = await startControlPlane();
    client = createRawClient(readCredentials(await readFile(real.kubeconfig, "utf8")));
    await createFixtures(client);
  });
  afterAll(async () => {
    client?.close();
    await real?.stop();
  });

  test("responds to the attacks as recorded", async () => {
    const expected = await readRecordedResponses();
    const chosen = full ? hostileRequests : hostileRequests.filter((_, index) => index % 4 === seed % 4);
    const answers = new Map<string, unknown>();
    for (const attack of chosen) answers.set(attack.name, toRecordedResponse(await client.send(attack).catch(() => ({ code: 0 }))));
    expect(Object.fromEntries(answers)).toEqual(Object.fromEntries(chosen.map(({ name }) => [name, expected[name]])));
  });
});
