import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { brotliDecompressSync } from "node:zlib";
import { unzipSync } from "fflate";
import { type Cluster, readTrace, type TraceAbout } from "../../src/index.ts";

/** Writes the trace of a cluster, and returns all of its files as one text, as they are and as they are read. */
export async function readRecordedTrace(cluster: Cluster, about?: TraceAbout): Promise<string> {
  const folder = mkdtempSync(path.join(tmpdir(), "pintle-trace-"));
  try {
    const file = path.join(folder, "a.pintle-trace");
    await cluster.writeTrace(file, about);
    const files = unzipSync(readFileSync(file));
    const texts = Object.entries(files).map(
      ([name, bytes]) => `${name}\n${(name.endsWith(".br") ? brotliDecompressSync(bytes) : Buffer.from(bytes)).toString("utf8")}`,
    );
    return [...texts, JSON.stringify(await readTrace(file))].join("\n");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
