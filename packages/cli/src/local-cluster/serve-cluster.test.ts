import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Cluster } from "@pintle/cluster";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findRunningCluster, type RunningCluster } from "./running-cluster.ts";
import { serveCluster } from "./serve-cluster.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "pintle-serve-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A cluster whose snapshot fails, as one does that does not fit into a string. */
const createCluster = (): Cluster =>
  ({
    url: "https://127.0.0.1:1",
    snapshot() {
      throw new RangeError("Invalid string length");
    },
    writeKubeconfig: async (file: string) => writeFileSync(file, ""),
    stop: async () => {},
  }) as unknown as Cluster;

async function serve(startCluster: () => Promise<Cluster>) {
  const kubeconfig = path.join(folder, "kubeconfig");
  let ready: () => void = () => {};
  const isReady = new Promise<void>((resolve) => {
    ready = resolve;
  });
  const { signal } = new AbortController();
  const ended = serveCluster({ kubeconfig, startCluster, wipeData: () => {}, onReady: ready, keepKubeconfig: false, signal });
  await Promise.race([isReady, ended]);
  return { ended, signal, running: (await findRunningCluster(kubeconfig)) as RunningCluster };
}

test("a snapshot that fails is reported and leaves the cluster running", async () => {
  const { ended, signal, running } = await serve(async () => createCluster());
  await expect(running.request("snapshot", signal)).rejects.toThrow("the snapshot failed: Invalid string length");
  await running.request("reset", signal);
  await expect(running.request("snapshot", signal)).rejects.toThrow("the snapshot failed: Invalid string length");
  await running.request("stop", signal);
  await ended;
});

test("a reset that cannot start the cluster again says why", async () => {
  let starts = 0;
  const { ended, signal, running } = await serve(async () => {
    if (starts++ > 0) throw new Error("port in use");
    return createCluster();
  });
  const failure = expect(ended).rejects.toThrow("port in use");
  await expect(running.request("reset", signal)).rejects.toThrow("port in use");
  await failure;
});
