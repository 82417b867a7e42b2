import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { connect } from "pintle/client";
import { ConfigMap } from "pintle/kinds/core/v1";
import { describe, expect, test } from "vitest";
import { binary, startControlPlane } from "../real/index.ts";
import { freePorts } from "../real/programs/ports.ts";
import { buildDropin } from "./dropin.ts";
import { createMixedBinaries } from "./mixed-binaries.ts";

const minute = 60_000;
const at = { namespace: "default", name: "kept" };

describe("combinations of real and drop-in binaries", { timeout: 2 * minute }, () => {
  test("the drop-in kube-apiserver stores objects in a real etcd, and they survive its restart", async () => {
    await using parts = await createMixedBinaries({ realEtcd: true });
    await using plane = await startControlPlane({ binaries: parts.binaries });
    const client = await connect({ kubeconfig: plane.kubeconfig, onWarning: () => {} });
    const created = await client.create(ConfigMap, { metadata: at, data: { a: "b" } });
    const get = ["--endpoints", plane.etcd, "get", "--print-value-only", "/registry/configmaps/default/kept"];
    expect(JSON.parse(execFileSync(binary("etcdctl"), get, { encoding: "utf8" }))).toMatchObject({ data: { a: "b" } });
    await plane.killServer();
    await plane.startServer();
    expect(await client.get(ConfigMap, at)).toEqual(created);
    await client.close();
  });

  test("the drop-in etcd refuses a client of the real etcd with a reason", async () => {
    await using ours = await buildDropin();
    const [port] = await freePorts(1);
    const endpoint = `http://127.0.0.1:${port}`;
    const etcd = spawn(join(ours.assets, "etcd"), [`--listen-client-urls=${endpoint}`, `--advertise-client-urls=${endpoint}`], {
      stdio: "ignore",
    });
    try {
      await waitForHealth(endpoint, etcd);
      const { status, stderr } = spawnSync(binary("etcdctl"), ["--endpoints", endpoint, "get", "x"], { encoding: "utf8" });
      expect(status).not.toBe(0);
      expect(stderr).toContain("this etcd is the drop-in of @pintle/cluster");
    } finally {
      const ended = once(etcd, "exit");
      etcd.kill("SIGTERM");
      expect(await ended).toEqual([0, null]);
    }
  });
});

async function waitForHealth(endpoint: string, program: ChildProcess): Promise<void> {
  for (;;) {
    if (program.exitCode !== null) throw new Error(`etcd ended with ${program.exitCode}`);
    const isWell = await fetch(`${endpoint}/health`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isWell) return;
    await delay(50);
  }
}
