import net from "node:net";
import { expect, test } from "vitest";
import { hanging, sizeFor } from "../src/decide.ts";
import { statsOf } from "../src/protocol.ts";

const servers = (...fills: readonly (number | undefined)[]) => fills.map((fill, i) => ({ name: `cache-${i}`, fill }));
const bounds = { min: 1, max: 3 };

test.each([
  ["one more when they are full", servers(0.75, 0.7), 3],
  ["never more than max", servers(0.9, 0.9, 0.9), 3],
  ["one less when the others have room enough", servers(0.2, 0.1), 1],
  ["as many as there are when the others would be half full", servers(0.3, 0.2), 2],
  ["never less than min", servers(0), 1],
  ["as many as there are when one does not answer", servers(0.9, undefined), 2],
])("%s", (_, heard, size) => {
  expect(sizeFor(bounds, heard.length, heard)).toBe(size);
});

test("a size that is out of bounds comes back into them, whatever is heard", () => {
  expect([sizeFor(bounds, 5, servers()), sizeFor({ min: 2, max: 3 }, 1, servers(0.5))]).toEqual([3, 2]);
});

test("who does not answer hangs, unless nobody answers", () => {
  expect(hanging(servers(0.1, undefined, 0.2))).toEqual(["cache-1"]);
  expect(hanging(servers(undefined, undefined))).toEqual([]);
});

test("what a server says about itself, and silence for one that says half of it", async () => {
  const { signal } = new AbortController();
  const said = "STAT pid 7\r\nSTAT version 1.6.18\r\nSTAT bytes 1024\r\nSTAT libevent 2.1.12-stable\r\nEND\r\n";
  for (const [text, heard] of [
    [said, 1024],
    [said.slice(0, 30), undefined],
  ] as const) {
    await using server = net.createServer((socket) =>
      socket
        .on("error", () => {})
        .resume()
        .end(text),
    );
    const port = await new Promise<number>((open) => {
      server.listen(0, "127.0.0.1", () => open((server.address() as net.AddressInfo).port));
    });
    expect((await statsOf("127.0.0.1", port, signal))?.get("bytes")).toBe(heard);
  }
});

test("nobody listens: silence", async () => {
  const server = net.createServer();
  const port = await new Promise<number>((open) => {
    server.listen(0, "127.0.0.1", () => open((server.address() as net.AddressInfo).port));
  });
  await new Promise((closed) => server.close(closed));
  expect(await statsOf("127.0.0.1", port, new AbortController().signal)).toBeUndefined();
});
