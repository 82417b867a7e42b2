import { once } from "node:events";
import { type ClientHttp2Session, connect as connectHttp2 } from "node:http2";
import { expect, test } from "vitest";
import { CONFIG_MAPS } from "../../packages/cluster/test/hostile/attack.ts";
import { credentialsOf, exchange } from "../../packages/cluster/test/hostile/exchange.ts";
import { full } from "../sampling.ts";
import { separateServer } from "./separate.ts";

const minute = 60_000;
const WATCHES = full ? 10_000 : 1_000;
const PER_CONNECTION = 200;
/** What one open watch may cost, in kB. */
const PRICE = 60;

test(`${WATCHES} open watches all get an event, and leave nothing behind`, { timeout: 5 * minute }, async () => {
  await using server = await separateServer();
  const credentials = credentialsOf(server.kubeconfig);
  const asked = exchange(credentials);
  await asked.json("GET", CONFIG_MAPS);
  const before = await server.memory();

  const sessions = Array.from({ length: WATCHES / PER_CONNECTION }, () => connectHttp2(credentials.url, credentials));
  let told = 0;
  let all = () => {};
  const allTold = new Promise<void>((resolve) => {
    all = resolve;
  });
  await Promise.all(
    sessions.map((session) =>
      Promise.all(
        Array.from({ length: PER_CONNECTION }, () =>
          opened(session, (text) => {
            if (text.includes('"told"') && ++told === WATCHES) all();
          }),
        ),
      ),
    ),
  );
  const during = await server.memory();
  await asked.json("POST", CONFIG_MAPS, { metadata: { name: "told" } });
  await allTold;
  expect(during - before).toBeLessThan((WATCHES * PRICE) / 1000);

  for (const session of sessions) session.destroy();
  await expect.poll(() => server.memory(), { timeout: minute, interval: 500 }).toBeLessThan(before + 0.1 * (during - before) + 10);
  asked.close();
});

const DEAF = full ? 200 : 10;
/** A watcher that is so many megabytes behind is cut off. */
const BACKLOG = 64;

test(`${DEAF} watchers that never read are cut off, and cost no more than one`, { timeout: 5 * minute }, async () => {
  await using server = await separateServer();
  const credentials = credentialsOf(server.kubeconfig);
  const asked = exchange(credentials);
  await asked.json("POST", CONFIG_MAPS, { metadata: { name: "large" } });
  const before = await server.memory();
  const session = connectHttp2(credentials.url, credentials);
  session.on("error", () => {});
  const streams = Array.from({ length: DEAF }, () => session.request({ ":path": `${CONFIG_MAPS}?watch=1` }));
  for (const stream of streams) stream.on("error", () => {});
  await Promise.all(streams.map((stream) => once(stream, "response")));
  const size = 1_000_000;
  const rounds = Math.ceil((1.2 * BACKLOG * 1024 * 1024) / size);
  for (let round = 0; round < rounds; round++) {
    await asked.json("PUT", `${CONFIG_MAPS}/large`, {
      metadata: { name: "large" },
      data: { round: String(round), text: "x".repeat(size) },
    });
  }
  // A watch that still stands would go on; one that was cut off has an end.
  await Promise.all(
    streams.map(async (stream) => {
      const closed = new Promise((resolve) => stream.once("close", resolve));
      stream.resume();
      await closed;
    }),
  );
  session.destroy();
  // What was replaced stays for a while, for watchers that come back.
  const history = (rounds * size) / 1_000_000;
  await expect.poll(() => server.memory(), { timeout: minute, interval: 500 }).toBeLessThan(before + history + 2 * BACKLOG);
  asked.close();
});

/** Resolves when the watch stands. */
function opened(session: ClientHttp2Session, onText: (text: string) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const stream = session.request({ ":path": `${CONFIG_MAPS}?watch=1` });
    stream.once("error", reject);
    stream.once("response", () => resolve());
    stream.setEncoding("utf8").on("data", onText);
  });
}
