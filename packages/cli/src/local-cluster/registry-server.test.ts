import { virtualClock } from "pintle/internal/clock";
import { expect, test } from "vitest";
import { createBlob, createJsonBlob, MEDIA_TYPES, openRepository, parseImageReference, pushImage, toDescriptor } from "../image/index.ts";
import { startRegistryServer } from "./index.ts";
import { digestOf } from "./registry-content.ts";

const signal = AbortSignal.timeout(20_000);
const layer = createBlob(MEDIA_TYPES.layer, Buffer.from("layer"));
const config = createJsonBlob(MEDIA_TYPES.config, { os: "linux" });
const manifest = createJsonBlob(MEDIA_TYPES.manifest, {
  schemaVersion: 2,
  mediaType: MEDIA_TYPES.manifest,
  config: toDescriptor(config),
  layers: [toDescriptor(layer)],
});
const built = { blobs: [layer, config], manifests: [manifest], root: manifest };

test("pushes, pulls and lists images; a second push uploads only the manifest", async () => {
  await using server = await startRegistryServer();
  const at = (name: string) => openRepository(parseImageReference(`${server.host}/${name}`), { insecure: true, signal });
  const json = async (path: string) => (await fetch(`http://${server.host}/v2/${path}`)).json();
  expect((await pushImage(at("team/shop:1"), built, "1")).sent).toBe(layer.size + config.size + manifest.size);
  expect((await pushImage(at("team/shop:2"), built, "2")).sent).toBe(manifest.size);
  await pushImage(at("other:1"), built, "1");
  expect(await json("_catalog")).toEqual({ repositories: ["other", "team/shop"] });
  const paged = await fetch(`http://${server.host}/v2/_catalog?n=1`);
  expect(await paged.json()).toEqual({ repositories: ["other"] });
  expect(paged.headers.get("link")).toBe('</v2/_catalog?n=1&last=other>; rel="next"');
  expect(await json("team/shop/tags/list")).toEqual({ name: "team/shop", tags: ["1", "2"] });
  const pulled = await at("team/shop:2").manifest("2");
  expect(pulled).toMatchObject({ digest: manifest.digest, mediaType: MEDIA_TYPES.manifest });
  expect(Buffer.from(await at("team/shop:2").blob(toDescriptor(layer)).bytes()).toString()).toBe("layer");
});

test("supports chunked uploads and range requests, and returns distribution API errors", async () => {
  await using server = await startRegistryServer();
  const url = (path: string) => `http://${server.host}${path}`;
  const begun = await fetch(url("/v2/a/blobs/uploads/"), { method: "POST" });
  const place = begun.headers.get("location")!;
  const bytes = { "content-type": "application/octet-stream" };
  const patch = (body: string, range: string) =>
    fetch(url(place), { method: "PATCH", body, headers: { ...bytes, "content-range": range } });
  expect((await patch("lay", "0-2")).headers.get("range")).toBe("0-2");
  expect((await patch("x", "9-9")).status).toBe(416);
  expect((await fetch(url(place))).headers.get("range")).toBe("0-2");
  expect((await fetch(url(`${place}?digest=${layer.digest}`), { method: "PUT", body: "er", headers: bytes })).status).toBe(201);
  const part = await fetch(url(`/v2/a/blobs/${layer.digest}`), { headers: { range: "bytes=1-2" } });
  expect([part.status, await part.text(), part.headers.get("content-range")]).toEqual([206, "ay", "bytes 1-2/5"]);
  const error = async (path: string, init?: RequestInit) => {
    const answer = await fetch(url(path), init);
    return [answer.status, ((await answer.json()) as { errors: { code: string }[] }).errors[0]!.code];
  };
  expect(
    await error("/v2/a/manifests/1", {
      method: "PUT",
      body: Buffer.from(await manifest.bytes()),
      headers: { "content-type": MEDIA_TYPES.manifest },
    }),
  ).toEqual([404, "MANIFEST_BLOB_UNKNOWN"]);
  expect(await error("/v2/a/manifests/1")).toEqual([404, "MANIFEST_UNKNOWN"]);
  expect(await error(`/v2/a/blobs/${config.digest}`)).toEqual([404, "BLOB_UNKNOWN"]);
  expect(await error("/v2/nothing/tags/list")).toEqual([404, "NAME_UNKNOWN"]);
  expect(await error(`/v2/a/blobs/uploads/?digest=${config.digest}`, { method: "POST", body: "other bytes", headers: bytes })).toEqual([
    400,
    "DIGEST_INVALID",
  ]);
});

test("bounds manifests, blobs, the content as a whole and unfinished uploads", async () => {
  const clock = virtualClock("2026-01-01T00:00:00Z");
  const limits = { manifestBytes: 600, blobBytes: 1000, totalBytes: 4000, uploads: 2 };
  await using server = await startRegistryServer({ limits, clock });
  const url = (path: string) => `http://${server.host}/v2/a/${path}`;
  const headers = { "content-type": "application/octet-stream" };
  const begin = async () => (await fetch(url("blobs/uploads/"), { method: "POST" })).headers.get("location")!;
  const send = (method: string, place: string, size: number) =>
    fetch(new URL(place, `http://${server.host}`), { method, body: Buffer.alloc(size, place), headers });
  const large = await fetch(url("manifests/1"), { method: "PUT", body: Buffer.alloc(601), headers });
  expect([large.status, await large.json()]).toMatchObject([413, { errors: [{ code: "SIZE_INVALID" }] }]);

  const first = await begin();
  expect((await send("PATCH", first, 900)).status).toBe(202);
  expect((await send("PATCH", first, 101)).status).toBe(413);
  // A refused upload is gone, and so are its bytes.
  expect((await send("PATCH", first, 1)).status).toBe(404);

  const upload = async (fill: string) => {
    const body = Buffer.alloc(1000, fill);
    return (await fetch(url(`blobs/uploads/?digest=${digestOf(body)}`), { method: "POST", body, headers })).status;
  };
  const digest = digestOf(Buffer.alloc(1000, "a"));
  expect([await upload("a"), await upload("a"), await upload("b"), await upload("c"), await upload("d")]).toEqual([
    201, 201, 201, 201, 201,
  ]);
  expect(await upload("e")).toBe(413);
  expect((await fetch(url(`blobs/${digest}`), { method: "DELETE" })).status).toBe(202);
  expect(await upload("e")).toBe(201);

  const uploads = [await begin(), await begin()];
  expect((await fetch(url("blobs/uploads/"), { method: "POST" })).status).toBe(429);
  expect((await fetch(new URL(uploads[0]!, `http://${server.host}`), { method: "DELETE" })).status).toBe(204);
  await begin();
  await clock.advance(11 * 60_000);
  expect([(await fetch(url("blobs/uploads/"), { method: "POST" })).status, (await send("PATCH", uploads[1]!, 1)).status]).toEqual([
    202, 404,
  ]);
});

test("refuses names that the distribution API does not know", async () => {
  await using server = await startRegistryServer();
  const status = async (path: string, init?: RequestInit) => (await fetch(`http://${server.host}/v2/${path}`, init)).status;
  expect(await status("Upper/manifests/1")).toBe(400);
  expect(await status(`${"a/".repeat(130)}a/manifests/1`)).toBe(400);
  expect(await status("a/manifests/..%2f..")).toBe(400);
  expect(await status("_catalog?n=-1")).toBe(400);
  expect(await status("a/manifests/1", { method: "PUT", body: new Blob(["{}"]) })).toBe(415);
});
