import dgram from "node:dgram";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { openUdpProxySocket } from "./proxy-sockets.ts";
import type { ServiceBackend } from "./service-directory.ts";

const open: dgram.Socket[] = [];
afterEach(() => {
  for (const socket of open.splice(0)) socket.close();
});

async function bindSocket(answer?: (message: string) => string): Promise<dgram.Socket> {
  const socket = dgram.createSocket("udp4");
  open.push(socket);
  await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", resolve));
  if (answer !== undefined) socket.on("message", (text, from) => socket.send(answer(text.toString()), from.port, from.address));
  return socket;
}
const portOf = (socket: dgram.Socket) => (socket.address() as AddressInfo).port;

/** Repeats the request until it is answered: datagrams may be lost. */
function requestUntilAnswered(from: dgram.Socket, port: number, question: string): Promise<string> {
  return new Promise((resolve) => {
    const again = setInterval(() => from.send(question, port, "127.0.0.1"), 100);
    from.once("message", (text) => {
      clearInterval(again);
      resolve(text.toString());
    });
    from.send(question, port, "127.0.0.1");
  });
}

test("forwards each client to one backend, and to another one when that closes", async () => {
  const [a, b] = [await bindSocket((text) => `a: ${text}`), await bindSocket((text) => `b: ${text}`)];
  let backend: ServiceBackend | undefined = { address: "127.0.0.1", port: portOf(a) };
  // A port that is not in use.
  const spare = await bindSocket();
  const port = portOf(spare);
  await new Promise<void>((resolve) => open.pop()!.close(resolve));
  const proxySocket = await openUdpProxySocket("127.0.0.1", port, () => backend);
  const [first, second] = [await bindSocket(), await bindSocket()];
  expect(await requestUntilAnswered(first, port, "hello")).toBe("a: hello");
  backend = { address: "127.0.0.1", port: portOf(b) };
  expect(await requestUntilAnswered(second, port, "hello")).toBe("b: hello");
  expect(await requestUntilAnswered(first, port, "still")).toBe("a: still");

  open.splice(open.indexOf(a), 1);
  await new Promise<void>((resolve) => a.close(resolve));
  expect(await requestUntilAnswered(first, port, "again")).toBe("b: again");
  await proxySocket.close();
});
