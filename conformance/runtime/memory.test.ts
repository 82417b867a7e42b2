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
import { published } from "./published.ts";
import { storedPod } from "./stored-pod.ts";

const MB = 2 ** 20;
const MANY = full ? 50_000 : 20_000;
/** How much more than the aim is a step back rather than the mood of a garbage collector. */
const TOLERANCE = 1.1;

let folder: string;
let server: Server;
/** How many pods it has. */
let pods = 0;
const asked: string[] = [];
beforeAll(async () => {
  folder = published(fileURLToPath(new URL("./hoarder.ts", import.meta.url)));
  server = createServer((request, response) => {
    asked.push(request.url!);
    const url = new URL(request.url!, "http://localhost");
    const metadataOnly = /PartialObjectMetadata/.test(request.headers.accept ?? "");
    void streamed(response, metadataOnly, url.searchParams).catch(() => {});
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterAll(async () => {
  server?.closeAllConnections();
  server?.close();
  await rm(folder, { recursive: true, force: true });
});

/** A streaming list, as fast as it is read. */
async function streamed(response: ServerResponse, metadataOnly: boolean, query: URLSearchParams): Promise<void> {
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

async function hoarded(count: number, keeps: "all" | "metadata" | "names", ...flags: readonly string[]) {
  pods = count;
  const { port } = server.address() as AddressInfo;
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, join(folder, "hoarder.js"), `http://127.0.0.1:${port}`, keeps]);
  const said = JSON.parse(stdout) as { readonly objects: number; readonly rss: number; readonly peak: number; readonly heap: number };
  expect(said.objects).toBe(count);
  console.log(
    `${count} pods, ${keeps}: RSS ${Math.round(said.rss / MB)} MB, at most ${Math.round(said.peak / MB)} MB, heap ${Math.round(said.heap / MB)} MB`,
  );
  return said;
}

test("idea 9 10,000 pods of 10.6 KB take 180 MB, their metadata 110 MB, at most a tenth more", async () => {
  expect(JSON.stringify(storedPod(1, false)).length).toBeGreaterThan(10_500);
  const all = await hoarded(10_000, "all");
  expect(all.peak / MB).toBeLessThan(180 * TOLERANCE);
  expect((await hoarded(10_000, "metadata")).peak / MB).toBeLessThan(110 * TOLERANCE);
});

test("Node 2 a list of hundreds of megabytes is never one string: what is not kept is never there all at once", async () => {
  const wire = (MANY * JSON.stringify(storedPod(1, false)).length) / MB;
  expect((await hoarded(MANY, "names")).peak / MB).toBeLessThan(wire / 1.5);
  expect(asked.every((url) => url.includes("sendInitialEvents=true"))).toBe(true);
});

test("Node 3 a cache of metadata lives within a heap that the objects themselves would not fit into", async () => {
  await hoarded(10_000, "metadata", "--max-old-space-size=64");
  await expect(hoarded(12_000, "all", "--max-old-space-size=64")).rejects.toThrow(/heap/);
});
