import net from "node:net";
import { expect, test } from "vitest";
import { fetchStats } from "../src/memcached-stats.ts";
import { decideSize, findHungServers } from "../src/scaling.ts";

const servers = (...ratios: readonly (number | undefined)[]) => ratios.map((usedRatio, i) => ({ name: `cache-${i}`, usedRatio }));
const bounds = { min: 1, max: 3 };

test.each([
  ["adds a server when they are full", servers(0.75, 0.7), 3],
  ["does not exceed max", servers(0.9, 0.9, 0.9), 3],
  ["removes a server when the others have enough free memory", servers(0.2, 0.1), 1],
  ["keeps the size when the others would be half full", servers(0.3, 0.2), 2],
  ["does not go below min", servers(0), 1],
  ["keeps the size when a server does not respond", servers(0.9, undefined), 2],
])("%s", (_, observed, size) => {
  expect(decideSize(bounds, observed.length, observed)).toBe(size);
});

test("moves a size outside of the bounds to the nearest bound", () => {
  expect([decideSize(bounds, 5, servers()), decideSize({ min: 2, max: 3 }, 1, servers(0.5))]).toEqual([3, 2]);
});

test("reports servers that do not respond, unless none responds", () => {
  expect(findHungServers(servers(0.1, undefined, 0.2))).toEqual(["cache-1"]);
  expect(findHungServers(servers(undefined, undefined))).toEqual([]);
});

test("parses the statistics of a server and ignores an incomplete response", async () => {
  const { signal } = new AbortController();
  const response = "STAT pid 7\r\nSTAT version 1.6.18\r\nSTAT bytes 1024\r\nSTAT libevent 2.1.12-stable\r\nEND\r\n";
  for (const [text, expected] of [
    [response, 1024],
    [response.slice(0, 30), undefined],
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
    expect((await fetchStats("127.0.0.1", port, signal))?.get("bytes")).toBe(expected);
  }
});

test("resolves with undefined if the port is closed", async () => {
  const server = net.createServer();
  const port = await new Promise<number>((open) => {
    server.listen(0, "127.0.0.1", () => open((server.address() as net.AddressInfo).port));
  });
  await new Promise((closed) => server.close(closed));
  expect(await fetchStats("127.0.0.1", port, new AbortController().signal)).toBeUndefined();
});
