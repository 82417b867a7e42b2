import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { computeDigest, createRegistrySource, type ImageSource } from "./image-source.ts";

const CONTENT = Buffer.from("content");
const DIGEST = computeDigest(CONTENT);
const WRONG = computeDigest(Buffer.from("other"));

const registry = createServer((request, response) => {
  if (request.url?.endsWith("/redirect")) response.writeHead(302, { location: "/elsewhere" }).end();
  else response.end(CONTENT);
});
let source: ImageSource;
beforeAll(async () => {
  await once(registry.listen(0, "127.0.0.1"), "listening");
  source = createRegistrySource({ name: `127.0.0.1:${(registry.address() as AddressInfo).port}/app`, tag: "v1" });
});
afterAll(() => registry.close());

test("returns manifests and blobs whose digest and size are right", async () => {
  expect(await source.manifest("v1")).toEqual(CONTENT);
  expect(await source.manifest(DIGEST)).toEqual(CONTENT);
  expect(await source.blob({ digest: DIGEST, size: CONTENT.length })).toEqual(CONTENT);
});

test.each([
  ["a manifest with another digest", () => source.manifest(WRONG), "is corrupt: its content has another digest"],
  ["a blob with another digest", () => source.blob({ digest: WRONG }), "is corrupt: its content has another digest"],
  ["a blob that is too short", () => source.blob({ digest: DIGEST, size: 100 }), "is corrupt: it has 7 bytes instead of 100"],
  ["a blob that is too long", () => source.blob({ digest: DIGEST, size: 3 }), "is larger than 3 bytes"],
  ["a digest that is a path", () => source.blob({ digest: "sha256:../../etc" }), "only sha256 is supported"],
  ["a manifest digest that is a path", () => source.manifest("sha256:../x"), "only sha256 is supported"],
  ["a redirect", () => source.manifest("redirect"), "fetch failed"],
])("refuses %s", async (_, get, message) => {
  await expect(get()).rejects.toThrow(message);
});
