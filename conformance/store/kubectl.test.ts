import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { type Cluster, type StoreBackend, startCluster } from "@pintle/cluster";
import { describe, expect, test } from "vitest";
import { formatTranscript, readGolden, selectGolden } from "../../packages/cluster/test/kubectl/golden.ts";
import { findKubectls } from "../../packages/cluster/test/kubectl/kubectls.ts";
import { runScenario } from "../../packages/cluster/test/kubectl/run-scenario.ts";
import { goldenFile, readChapters } from "../kubectl/chapters.ts";
import { full, seed } from "../sampling.ts";
import { startEtcd } from "./etcd.ts";

const kubectl = findKubectls().at(-1);
if (kubectl === undefined) console.warn("\n!!! SKIPPED: no kubectl on the PATH, beside it, or built by: npm run real:build\n");
/** A sample is the chapters with most writes, lists and watches, on one of the two stores. */
const wanted = full ? [] : ["custom"];
const kinds = (["file", "etcd"] as const).filter((_, index) => full || index === seed % 2);
const here = (await readChapters(wanted)).filter(({ on }) => on === "api");

/** Runs the kubectl matrix on the other stores: the output must equal the recording from a real server. */
describe.skipIf(kubectl === undefined).each(kinds)("kubectl on a store of kind %s", (kind) => {
  test.each(here)("$name", { timeout: 600_000 }, async (chapter) => {
    if (kubectl === undefined) return;
    const folder = await mkdtemp(path.join(tmpdir(), "pintle-store-kubectl-"));
    await using etcd = kind === "etcd" ? await startEtcd() : { endpoint: "", async [Symbol.asyncDispose]() {} };
    const store: StoreBackend = kind === "file" ? { file: path.join(folder, "data") } : { etcd: { endpoints: [etcd.endpoint] } };
    const kubeconfig = path.join(folder, "kubeconfig");
    let cluster: Cluster | undefined;
    try {
      cluster = await startCluster({ http: true, without: true, store });
      await cluster.writeKubeconfig(kubeconfig);
      const played = await runScenario(chapter, kubectl, kubeconfig);
      expect(formatTranscript(played)).toBe(formatTranscript(selectGolden(await readGolden(goldenFile(chapter)), kubectl.minor)));
    } finally {
      await cluster?.stop();
      await rm(folder, { recursive: true });
    }
  });
});
