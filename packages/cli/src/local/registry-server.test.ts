import { expect, test } from "vitest";
import { blob, descriptor, jsonBlob, MEDIA, parseReference, push, repository } from "../image/index.ts";
import { registryServer } from "./index.ts";

const signal = AbortSignal.timeout(20_000);
const layer = blob(MEDIA.layer, Buffer.from("layer"));
const config = jsonBlob(MEDIA.config, { os: "linux" });
const manifest = jsonBlob(MEDIA.manifest, {
  schemaVersion: 2,
  mediaType: MEDIA.manifest,
  config: descriptor(config),
  layers: [descriptor(layer)],
});
const built = { blobs: [layer, config], manifests: [manifest], root: manifest };

test("push, pull, list; the second push sends the manifest only", async () => {
  await using server = await registryServer();
  const at = (name: string) => repository(parseReference(`${server.host}/${name}`), { insecure: true, signal });
  const json = async (path: string) => (await fetch(`http://${server.host}/v2/${path}`)).json();
  expect((await push(at("team/shop:1"), built, "1")).sent).toBe(layer.size + config.size + manifest.size);
  expect((await push(at("team/shop:2"), built, "2")).sent).toBe(manifest.size);
  await push(at("other:1"), built, "1");
  expect(await json("_catalog")).toEqual({ repositories: ["other", "team/shop"] });
  const paged = await fetch(`http://${server.host}/v2/_catalog?n=1`);
  expect(await paged.json()).toEqual({ repositories: ["other"] });
  expect(paged.headers.get("link")).toBe('</v2/_catalog?n=1&last=other>; rel="next"');
  expect(await json("team/shop/tags/list")).toEqual({ name: "team/shop", tags: ["1", "2"] });
  const pulled = await at("team/shop:2").manifest("2");
  expect(pulled).toMatchObject({ digest: manifest.digest, mediaType: MEDIA.manifest });
  expect(Buffer.from(await at("team/shop:2").blob(descriptor(layer)).bytes()).toString()).toBe("layer");
});

test("parts, ranges, and what is not so", async () => {
  await using server = await registryServer();
  const url = (path: string) => `http://${server.host}${path}`;
  const begun = await fetch(url("/v2/a/blobs/uploads/"), { method: "POST" });
  const place = begun.headers.get("location")!;
  const patch = (body: string, range: string) => fetch(url(place), { method: "PATCH", body, headers: { "content-range": range } });
  expect((await patch("lay", "0-2")).headers.get("range")).toBe("0-2");
  expect((await patch("x", "9-9")).status).toBe(416);
  expect((await fetch(url(place))).headers.get("range")).toBe("0-2");
  expect((await fetch(url(`${place}?digest=${layer.digest}`), { method: "PUT", body: "er" })).status).toBe(201);
  const part = await fetch(url(`/v2/a/blobs/${layer.digest}`), { headers: { range: "bytes=1-2" } });
  expect([part.status, await part.text(), part.headers.get("content-range")]).toEqual([206, "ay", "bytes 1-2/5"]);
  const error = async (path: string, init?: RequestInit) => {
    const answer = await fetch(url(path), init);
    return [answer.status, ((await answer.json()) as { errors: { code: string }[] }).errors[0]!.code];
  };
  expect(await error("/v2/a/manifests/1", { method: "PUT", body: Buffer.from(await manifest.bytes()) })).toEqual([
    404,
    "MANIFEST_BLOB_UNKNOWN",
  ]);
  expect(await error("/v2/a/manifests/1")).toEqual([404, "MANIFEST_UNKNOWN"]);
  expect(await error(`/v2/a/blobs/${config.digest}`)).toEqual([404, "BLOB_UNKNOWN"]);
  expect(await error("/v2/nothing/tags/list")).toEqual([404, "NAME_UNKNOWN"]);
  expect(await error(`/v2/a/blobs/uploads/?digest=${config.digest}`, { method: "POST", body: "other bytes" })).toEqual([
    400,
    "DIGEST_INVALID",
  ]);
});
