import { execFile } from "node:child_process";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { full } from "../sampling.ts";
import { createPublishedFolder } from "./published-package.ts";
import { storedPod } from "./stored-pod.ts";

const MB = 2 ** 20;
const MANY = full ? 50_000 : 20_000;
/** Tolerance above the target that is a regression rather than variance of the garbage collector. */
const TOLERANCE = 1.1;

let folder: string;
let server: Server;
/** Number of pods that the server has. */
let pods = 0;
const requestedUrls: string[] = [];
beforeAll(async () => {
  folder = createPublishedFolder(fileURLToPath(new URL("./cache-memory.ts", import.meta.url)));
  server = createServer((request, response) => {
    requestedUrls.push(request.url!);
    const url = new URL(request.url!, "http://localhost");
    const metadataOnly = /PartialObjectMetadata/.test(request.headers.accept ?? "");
    void streamList(response, metadataOnly, url.searchParams).catch(() => {});
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterAll(async () => {
  server?.closeAllConnections();
  server?.close();
  await rm(folder, { recursive: true, force: true });
});

/** Serves a streaming list, with backpressure. */
async function streamList(response: ServerResponse, metadataOnly: boolean, query: URLSearchParams): Promise<void> {
  response.writeHead(200, { "content-type": "application/json" });
  const send = async (type: string, object: object) => {
    if (!response.write(`${JSON.stringify({ type, object })}\n`)) await once(response, "drain");
  };
  if (query.get("sendInitialEvents") !== "true") throw new Error("only streaming lists are served");
  for (let i = 0; i < pods; i++) await send("ADDED", storedPod(i, metadataOnly));
  await send("BOOKMARK", {
    kind: "Pod",
    metadata: { resourceVersion: String(pods + 1), annotations: { "k8s.io/initial-events-end": "true" } },
  });
}

async function measureCache(count: number, keeps: "all" | "metadata" | "names", ...flags: readonly string[]) {
  pods = count;
  const { port } = server.address() as AddressInfo;
  const { stdout } = await promisify(execFile)(process.execPath, [
    ...flags,
    join(folder, "cache-memory.js"),
    `http://127.0.0.1:${port}`,
    keeps,
  ]);
  const report = JSON.parse(stdout) as { readonly objects: number; readonly rss: number; readonly peak: number; readonly heap: number };
  expect(report.objects).toBe(count);
  console.log(
    `${count} pods, ${keeps}: RSS ${Math.round(report.rss / MB)} MB, at most ${Math.round(report.peak / MB)} MB, heap ${Math.round(report.heap / MB)} MB`,
  );
  return report;
}

test("RT-62 caching 10,000 pods of 10.6 KB takes 180 MB, their metadata 110 MB, plus at most a tenth", async () => {
  expect(JSON.stringify(storedPod(1, false)).length).toBeGreaterThan(10_500);
  const all = await measureCache(10_000, "all");
  expect(all.peak / MB).toBeLessThan(180 * TOLERANCE);
  expect((await measureCache(10_000, "metadata")).peak / MB).toBeLessThan(110 * TOLERANCE);
});

test("RT-50 a list of hundreds of megabytes is decoded incrementally: discarded objects never accumulate in memory", async () => {
  const wire = (MANY * JSON.stringify(storedPod(1, false)).length) / MB;
  expect((await measureCache(MANY, "names")).peak / MB).toBeLessThan(wire / 1.5);
  expect(requestedUrls.every((url) => url.includes("sendInitialEvents=true"))).toBe(true);
});

test("RT-51 a metadata-only cache fits into a heap that is too small for the full objects", async () => {
  await measureCache(10_000, "metadata", "--max-old-space-size=64");
  await expect(measureCache(12_000, "all", "--max-old-space-size=64")).rejects.toThrow(/heap/);
});
