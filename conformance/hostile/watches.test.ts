import { once } from "node:events";
import { type ClientHttp2Session, connect as connectHttp2 } from "node:http2";
import { expect, test } from "vitest";
import { CONFIG_MAPS } from "../../packages/cluster/test/hostile/hostile-request.ts";
import { createRawClient, readCredentials } from "../../packages/cluster/test/hostile/raw-client.ts";
import { full } from "../sampling.ts";
import { startServerProcess } from "./server-process.ts";

const minute = 60_000;
const WATCHES = full ? 10_000 : 1_000;
const PER_CONNECTION = 200;
/** Maximum memory of one open watch, in kB. */
const PRICE = 60;

test(`${WATCHES} open watches all receive an event, and release their memory when closed`, { timeout: 5 * minute }, async () => {
  await using server = await startServerProcess();
  const credentials = readCredentials(server.kubeconfig);
  const client = createRawClient(credentials);
  await client.json("GET", CONFIG_MAPS);
  const before = await server.memory();

  const sessions = Array.from({ length: WATCHES / PER_CONNECTION }, () => connectHttp2(credentials.url, credentials));
  let notified = 0;
  let onAllNotified = () => {};
  const allNotified = new Promise<void>((resolve) => {
    onAllNotified = resolve;
  });
  await Promise.all(
    sessions.map((session) =>
      Promise.all(
        Array.from({ length: PER_CONNECTION }, () =>
          openWatch(session, (text) => {
            if (text.includes('"marker"') && ++notified === WATCHES) onAllNotified();
          }),
        ),
      ),
    ),
  );
  const during = await server.memory();
  await client.json("POST", CONFIG_MAPS, { metadata: { name: "marker" } });
  await allNotified;
  expect(during - before).toBeLessThan((WATCHES * PRICE) / 1000);

  for (const session of sessions) session.destroy();
  await expect.poll(() => server.memory(), { timeout: minute, interval: 500 }).toBeLessThan(before + 0.1 * (during - before) + 10);
  client.close();
});

const STALLED = full ? 200 : 10;
/** The server closes a watch whose client is this many megabytes behind. */
const BACKLOG = 64;

test(`${STALLED} watchers that never read are disconnected, and cost no more memory than one`, { timeout: 5 * minute }, async () => {
  await using server = await startServerProcess();
  const credentials = readCredentials(server.kubeconfig);
  const client = createRawClient(credentials);
  await client.json("POST", CONFIG_MAPS, { metadata: { name: "large" } });
  const before = await server.memory();
  const session = connectHttp2(credentials.url, credentials);
  session.on("error", () => {});
  const streams = Array.from({ length: STALLED }, () => session.request({ ":path": `${CONFIG_MAPS}?watch=1` }));
  for (const stream of streams) stream.on("error", () => {});
  // Listened to from the start: the server may reset a stream before the last write.
  const closed = streams.map((stream) => new Promise((resolve) => stream.once("close", resolve)));
  await Promise.all(streams.map((stream) => once(stream, "response")));
  const size = 1_000_000;
  const rounds = Math.ceil((1.2 * BACKLOG * 1024 * 1024) / size);
  for (let round = 0; round < rounds; round++) {
    await client.json("PUT", `${CONFIG_MAPS}/large`, {
      metadata: { name: "large" },
      data: { round: String(round), text: "x".repeat(size) },
    });
  }
  // An open watch would send more events; a disconnected one has ended.
  for (const stream of streams) stream.resume();
  await Promise.all(closed);
  session.destroy();
  // Replaced objects stay in the watch history for clients that resume.
  const history = (rounds * size) / 1_000_000;
  await expect.poll(() => server.memory(), { timeout: minute, interval: 500 }).toBeLessThan(before + history + 2 * BACKLOG);
  client.close();
});

/** Opens a watch; resolves when the server has sent the response headers. */
function openWatch(session: ClientHttp2Session, onText: (text: string) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const stream = session.request({ ":path": `${CONFIG_MAPS}?watch=1` });
    stream.once("error", reject);
    stream.once("response", () => resolve());
    stream.setEncoding("utf8").on("data", onText);
  });
}
