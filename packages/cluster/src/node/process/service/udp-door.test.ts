import dgram from "node:dgram";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import type { Backend } from "./directory.ts";
import { udpDoor } from "./udp-door.ts";

const open: dgram.Socket[] = [];
afterEach(() => {
  for (const socket of open.splice(0)) socket.close();
});

async function bound(answer?: (message: string) => string): Promise<dgram.Socket> {
  const socket = dgram.createSocket("udp4");
  open.push(socket);
  await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", resolve));
  if (answer !== undefined) socket.on("message", (text, from) => socket.send(answer(text.toString()), from.port, from.address));
  return socket;
}
const portOf = (socket: dgram.Socket) => (socket.address() as AddressInfo).port;

/** Asked again until it is answered: datagrams may be lost. */
function asked(from: dgram.Socket, port: number, question: string): Promise<string> {
  return new Promise((resolve) => {
    const again = setInterval(() => from.send(question, port, "127.0.0.1"), 100);
    from.once("message", (text) => {
      clearInterval(again);
      resolve(text.toString());
    });
    from.send(question, port, "127.0.0.1");
  });
}

test("each client is answered by its backend, and by another one when that has gone", async () => {
  const [a, b] = [await bound((text) => `a: ${text}`), await bound((text) => `b: ${text}`)];
  let backend: Backend | undefined = { address: "127.0.0.1", port: portOf(a) };
  // A port that nothing else has by chance.
  const spare = await bound();
  const port = portOf(spare);
  await new Promise<void>((resolve) => open.pop()!.close(resolve));
  const door = await udpDoor("127.0.0.1", port, () => backend);
  const [first, second] = [await bound(), await bound()];
  expect(await asked(first, port, "hello")).toBe("a: hello");
  backend = { address: "127.0.0.1", port: portOf(b) };
  expect(await asked(second, port, "hello")).toBe("b: hello");
  expect(await asked(first, port, "still")).toBe("a: still");

  open.splice(open.indexOf(a), 1);
  await new Promise<void>((resolve) => a.close(resolve));
  expect(await asked(first, port, "again")).toBe("b: again");
  await door.close();
});
