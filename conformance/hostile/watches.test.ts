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

/** Resolves when the watch stands. */
function opened(session: ClientHttp2Session, onText: (text: string) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const stream = session.request({ ":path": `${CONFIG_MAPS}?watch=1` });
    stream.once("error", reject);
    stream.once("response", () => resolve());
    stream.setEncoding("utf8").on("data", onText);
  });
}
