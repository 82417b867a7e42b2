import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { seededRandom } from "pintle/internal/clock";
import { expect, test } from "vitest";
import { createHttpsRequester } from "../../packages/cluster/test/store/https-requester.ts";
import { full, seed } from "../sampling.ts";
import { startClusterProcess } from "./cluster-process.ts";
import { createWriter, findProblem, writeUntilKilled } from "./writer.ts";

const rounds = full ? 60 : 2;

/** Kills a server that writes to a folder at random moments, repeatedly; its clients record every response they received. */
test.each([
  { name: "a folder", flags: [] },
  { name: "a folder, with fsync", flags: ["--fsync"] },
])("kill -9 of a server on $name loses no acknowledged write", { timeout: full ? 3_600_000 : 120_000 }, async ({ flags }) => {
  const folder = await mkdtemp(path.join(tmpdir(), "pintle-kill-"));
  const random = seededRandom(seed);
  const writers = Array.from({ length: 6 }, (_, i) => createWriter(`writer-${i}`));
  const on = ["--data", path.join(folder, "data"), ...flags];
  let acknowledged = 0;
  let revision = 0;
  let server = await startClusterProcess(folder, on);
  try {
    const { kubeconfig } = server;
    let send = createHttpsRequester(kubeconfig);
    for (let round = 0; round < rounds; round++) {
      const writing = writers.map((each) => writeUntilKilled(send, each, random));
      await delay(200 + random() * 1300);
      await server.kill();
      for (const done of await Promise.all(writing)) acknowledged += done;

      server = await startClusterProcess(folder, on);
      // The kubeconfig of the first start stays valid: same port, same keys.
      send = createHttpsRequester(kubeconfig);
      const { body } = await send("GET", "/api/v1/namespaces/default/configmaps");
      const found = new Map<string, object>(
        body.items.map((item: { metadata: { name: string } }) => [item.metadata.name, { kind: "ConfigMap", apiVersion: "v1", ...item }]),
      );
      found.delete("kube-root-ca.crt");
      expect([...found.keys()].filter((name) => !writers.some((each) => each.name === name))).toEqual([]);
      expect(writers.map((each) => findProblem(each, found.get(each.name))).filter((each) => each !== undefined)).toEqual([]);
      expect(Number(body.metadata.resourceVersion)).toBeGreaterThanOrEqual(revision);
      revision = Number(body.metadata.resourceVersion);
    }
    expect(await server.interrupt()).toBe(0);
    expect((await readdir(path.join(folder, "data"))).filter((name) => name.startsWith("lock"))).toEqual([]);
    console.log(`kill -9 of a server on ${["a folder", ...flags].join(" ")}: ${rounds} kills, ${acknowledged} acknowledged writes`);
    expect(acknowledged).toBeGreaterThan(rounds);
  } finally {
    await server.kill();
    await rm(folder, { recursive: true });
  }
});
