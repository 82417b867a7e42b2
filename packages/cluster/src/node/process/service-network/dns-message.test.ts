import dgram from "node:dgram";
import { Resolver } from "node:dns/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { buildDnsResponse, parseDnsQuestion, RCODE_NO_ERROR, RCODE_NXDOMAIN } from "./dns-message.ts";

/** Queried by Node's own resolver. */
const server = dgram.createSocket("udp4");
const resolver = new Resolver();
beforeAll(async () => {
  server.on("message", (message, { port, address }) => {
    const question = parseDnsQuestion(message)!;
    const isKnown = question.name === "cache.default.svc.cluster.local";
    server.send(
      buildDnsResponse(question, isKnown ? RCODE_NO_ERROR : RCODE_NXDOMAIN, isKnown ? ["10.96.0.9", "10.96.0.10"] : []),
      port,
      address,
    );
  });
  await new Promise<void>((resolve) => server.bind(0, "127.0.0.1", resolve));
  resolver.setServers([`127.0.0.1:${server.address().port}`]);
});
afterAll(() => void server.close());

test("resolves a known name to its addresses", async () => {
  expect([...(await resolver.resolve4("cache.default.svc.cluster.local"))].sort()).toEqual(["10.96.0.10", "10.96.0.9"]);
});

test("responds NXDOMAIN to an unknown name", async () => {
  await expect(resolver.resolve4("other.default.svc.cluster.local")).rejects.toMatchObject({ code: "ENOTFOUND" });
});

test("ignores messages that are no query", () => {
  expect(parseDnsQuestion(Buffer.from("hello"))).toBeUndefined();
  expect(parseDnsQuestion(Buffer.alloc(200, 255))).toBeUndefined();
});
