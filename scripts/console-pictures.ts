/**
 * `npm run console:pictures`: takes pictures of the pages of the console into docs/console, light and dark, empty, busy and broken. The busy one is the
 * Memcached operator after an edit; the broken one lacks a right, fails, and has a fault rule. Look at them before a change of the page is committed.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { deflateSync, inflateSync } from "node:zlib";
import { controller } from "pintle";
import { Deployment } from "pintle/kinds/apps/v1";
import { startBrowser } from "../conformance/console/browser.ts";
import { type Demo, deploymentPath, objectPath, ref, startDemo, waitUntilAvailable } from "../conformance/console/demo.ts";
import { Memcached } from "../examples/memcached/src/memcached.ts";

const out = path.join(path.dirname(path.dirname(fileURLToPath(import.meta.url))), "docs/console");
mkdirSync(out, { recursive: true });

/** An operator that cannot reach what it manages. */
const failing = controller(Memcached, {
  owns: [Deployment],
  reconcile({ object }) {
    throw new Error(`no connection to ${object.metadata.name}-0:11211`);
  },
});

await using light = await startBrowser({ width: 1200, height: 720 });
const { page } = await light.open();

async function take(demo: Demo, name: string, route: string, colorScheme: "light" | "dark" = "light"): Promise<void> {
  await page.emulateMedia({ colorScheme });
  await page.goto(demo.origin + route);
  await page.locator("main h1, main .editor").first().waitFor();
  await page.waitForLoadState("networkidle", { timeout: 1_500 }).catch(() => undefined);
  const png = recompress(await page.screenshot({ animations: "disabled" }));
  writeFileSync(path.join(out, `${name}.png`), png);
  console.log(`docs/console/${name}.png  ${Math.round(png.length / 1024)} KB`);
}

/** Chromium compresses pictures fast, not well. */
function recompress(png: Buffer): Buffer {
  const chunks: { readonly type: string; readonly data: Buffer }[] = [];
  for (let at = 8; at < png.length; ) {
    const length = png.readUInt32BE(at);
    chunks.push({ type: png.toString("latin1", at + 4, at + 8), data: png.subarray(at + 8, at + 8 + length) });
    at += 12 + length;
  }
  const pixels = inflateSync(Buffer.concat(chunks.filter(({ type }) => type === "IDAT").map(({ data }) => data)));
  const kept = chunks.filter(({ type }) => type !== "IDAT" && type !== "IEND");
  const all = [...kept, { type: "IDAT", data: deflateSync(pixels, { level: 9, memLevel: 9 }) }, { type: "IEND", data: Buffer.alloc(0) }];
  return Buffer.concat([png.subarray(0, 8), ...all.map(encodeChunk)]);
}

function encodeChunk({ type, data }: { readonly type: string; readonly data: Buffer }): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

/** Node has one since 20.15 and 22.2, which its types do not know. */
function crc32(bytes: Buffer): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return (crc ^ 0xffffffff) >>> 0;
}

{
  await using demo = await startDemo({ sample: false });
  await page.goto(demo.url);
  await take(demo, "now-empty", "/");
}
{
  await using demo = await startDemo();
  const edited = await demo.client.patch(Memcached, ref, { merge: { spec: { size: 5 } } }, { fieldManager: "kubectl-edit" });
  await waitUntilAvailable(demo.client, 5);
  await page.goto(demo.url);
  await take(demo, "now", "/");
  await take(demo, "objects", "/objects", "dark");
  await take(demo, "story", `/o/${objectPath}`);
  await take(demo, "blame", `/o/${deploymentPath}?tab=blame`, "dark");
  await take(demo, "chain", `/chain/${edited.metadata.resourceVersion}`);
  await take(demo, "runs", "/runs", "dark");
  await take(demo, "speed", "/speed?minutes=1");
  await take(demo, "edit", `/o/${objectPath}?tab=edit`);
}
{
  await using demo = await startDemo({ controllers: [failing], sample: false });
  await demo.client.apply(Memcached, { metadata: ref, spec: { size: 3 } }, { fieldManager: "kubectl" });
  await demo.client.apply(Memcached, { metadata: { name: "other", namespace: "default" }, spec: { size: 1 } }, { fieldManager: "kubectl" });
  demo.cluster.faults.add({ on: { verb: "patch" }, do: { status: 409 } });
  await page.goto(demo.url);
  await page.getByText("failing").first().waitFor();
  await take(demo, "now-broken", "/", "dark");
}
