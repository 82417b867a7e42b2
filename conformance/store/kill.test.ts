import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { seeded } from "pintle/queue";
import { expect, test } from "vitest";
import { asker } from "../../packages/cluster/test/store/asker.ts";
import { full, seed } from "../sampling.ts";
import { lane, problem, write } from "./lane.ts";
import { serve } from "./served.ts";

const rounds = full ? 60 : 2;

/** A server that writes to a folder is killed at any moment, again and again; its clients remember every answer they got. */
test.each([
  { name: "a folder", flags: [] },
  { name: "a folder, with fsync", flags: ["--fsync"] },
])("kill -9 of a server on $name loses nothing that was acknowledged", { timeout: full ? 3_600_000 : 120_000 }, async ({ flags }) => {
  const folder = await mkdtemp(path.join(tmpdir(), "pintle-kill-"));
  const random = seeded(seed);
  const lanes = Array.from({ length: 6 }, (_, i) => lane(`lane-${i}`));
  const on = ["--data", path.join(folder, "data"), ...flags];
  let acknowledged = 0;
  let revision = 0;
  let server = await serve(folder, on);
  try {
    const { kubeconfig } = server;
    let ask = asker(kubeconfig);
    for (let round = 0; round < rounds; round++) {
      const writing = lanes.map((each) => write(ask, each, random));
      await delay(200 + random() * 1300);
      await server.kill();
      for (const done of await Promise.all(writing)) acknowledged += done;

      server = await serve(folder, on);
      // The kubeconfig of the first start leads to the last: same port, same keys.
      ask = asker(kubeconfig);
      const { body } = await ask("GET", "/api/v1/namespaces/default/configmaps");
      const found = new Map<string, object>(
        body.items.map((item: { metadata: { name: string } }) => [item.metadata.name, { kind: "ConfigMap", apiVersion: "v1", ...item }]),
      );
      found.delete("kube-root-ca.crt");
      expect([...found.keys()].filter((name) => !lanes.some((each) => each.name === name))).toEqual([]);
      expect(lanes.map((each) => problem(each, found.get(each.name))).filter((each) => each !== undefined)).toEqual([]);
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
