import { connect as connectHttp2 } from "node:http2";
import { expect, test } from "vitest";
import { startCluster } from "../../src/index.ts";
import { type Credentials, readCredentials } from "./raw-client.ts";

const CANARY = "/api/v1/namespaces/kube-system";

function openSession({ url, ca }: Credentials, initialWindowSize: number) {
  const session = connectHttp2(url, { ca, settings: { initialWindowSize } });
  session.on("error", () => {});
  return session;
}

function get(session: ReturnType<typeof openSession>): Promise<number> {
  return new Promise((resolve) => {
    const stream = session.request({ ":path": CANARY });
    stream.once("response", (headers) => resolve(Number(headers[":status"])));
    stream.once("error", () => resolve(0));
    stream.resume();
  });
}

test("responses that the client does not read keep no seats from the requests of others", async () => {
  await using cluster = await startCluster({
    without: true,
    http: true,
    limits: { maxRequestsInFlight: 20, maxMutatingRequestsInFlight: 4 },
  });
  const credentials = readCredentials(cluster.kubeconfig);
  // Each stream may receive nothing: the server cannot send the bodies of its responses.
  const hostile = [0, 1].map(() => openSession(credentials, 0));
  await Promise.all(hostile.map((session) => Promise.all(Array.from({ length: 100 }, () => get(session)))));
  const other = openSession(credentials, 65_535);
  const start = performance.now();
  expect(await get(other)).toBe(403);
  // Without this they would have their seats until they time out, and others wait 15 s for one.
  expect(performance.now() - start).toBeLessThan(10_000);
  for (const session of [...hostile, other]) session.destroy();
});
