import dgram from "node:dgram";
import { Resolver } from "node:dns/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { answer, NO_ERROR, NO_SUCH_NAME, question } from "./dns-message.ts";

/** Asked by Node's own resolver. */
const server = dgram.createSocket("udp4");
const resolver = new Resolver();
beforeAll(async () => {
  server.on("message", (message, { port, address }) => {
    const asked = question(message)!;
    const known = asked.name === "cache.default.svc.cluster.local";
    server.send(answer(asked, known ? NO_ERROR : NO_SUCH_NAME, known ? ["10.96.0.9", "10.96.0.10"] : []), port, address);
  });
  await new Promise<void>((resolve) => server.bind(0, "127.0.0.1", resolve));
  resolver.setServers([`127.0.0.1:${server.address().port}`]);
});
afterAll(() => void server.close());

test("names have addresses", async () => {
  expect([...(await resolver.resolve4("cache.default.svc.cluster.local"))].sort()).toEqual(["10.96.0.10", "10.96.0.9"]);
});

test("and others do not exist", async () => {
  await expect(resolver.resolve4("other.default.svc.cluster.local")).rejects.toMatchObject({ code: "ENOTFOUND" });
});

test("what is no question is not answered", () => {
  expect(question(Buffer.from("hello"))).toBeUndefined();
  expect(question(Buffer.alloc(200, 255))).toBeUndefined();
});
