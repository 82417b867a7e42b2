import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { brotliDecompressSync } from "node:zlib";
import { unzipSync } from "fflate";
import type { Cluster } from "../../src/index.ts";

/** Writes the trace of a cluster, and returns all of its files as one text. */
export async function readRecordedTrace(cluster: Cluster): Promise<string> {
  const folder = mkdtempSync(path.join(tmpdir(), "pintle-trace-"));
  try {
    const file = path.join(folder, "a.pintle-trace");
    await cluster.writeTrace(file);
    const files = unzipSync(readFileSync(file));
    return Object.entries(files)
      .map(([name, bytes]) => `${name}\n${(name.endsWith(".br") ? brotliDecompressSync(bytes) : Buffer.from(bytes)).toString("utf8")}`)
      .join("\n");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
