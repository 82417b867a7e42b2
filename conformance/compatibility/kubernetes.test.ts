import { startManager } from "pintle";
import { connect } from "pintle/client";
import { Deployment } from "pintle/kinds/apps/v1";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Memcached, memcached } from "../../examples/memcached/src/memcached.ts";
import { clientConformance } from "../client/client.conformance.ts";
import { binaries, buildCommand, type ControlPlane, KUBERNETES_VARIABLE, startControlPlane, versions } from "../real/index.ts";
import { install } from "../runtime/servers.ts";
import { full, seed } from "../sampling.ts";

/**
 * The older minors: the client and an operator. A sample of one minor, or all. `npm run conformance -- compatibility --kubernetes 1.35` runs more
 * suites on one of them.
 */
const all = versions.olderKubernetes.map((version) => binaries({ ...process.env, [KUBERNETES_VARIABLE]: version }));
const built = all.filter(({ missing }) => !missing.some((each) => ["etcd", "kube-apiserver", "kube-controller-manager"].includes(each)));
for (const each of all.filter((one) => !built.includes(one)))
  console.warn(`\n!!! SKIPPED: Kubernetes ${each.kubernetes} is not built. Run: ${buildCommand(each)}\n`);
const selected = full ? built : built.slice(seed % Math.max(built.length, 1)).slice(0, 1);

test("the older minors are the three before the newest", () => {
  const minorOf = (version: string) => Number(version.split(".")[1]);
  expect(versions.olderKubernetes.map(minorOf)).toEqual([1, 2, 3].map((back) => minorOf(versions.kubernetes) - back));
});

describe.each(selected)("on Kubernetes $kubernetes", (from) => {
  let plane: ControlPlane;
  beforeAll(async () => {
    plane = await startControlPlane({ controllerManager: true, binaries: from });
  });
  afterAll(() => plane?.stop());

  clientConformance(() => plane.kubeconfig);

  test("the server has the version", async () => {
    const client = await connect({ kubeconfig: plane.kubeconfig });
    const response = await client.request({ method: "GET", path: "/version" });
    expect(await response.json()).toMatchObject({ gitVersion: `v${from.kubernetes}` });
    await client.close();
  });

  test("an operator applies its children, reports the status and cleans up", async () => {
    const client = await connect({ kubeconfig: plane.kubeconfig, onWarning: () => {} });
    await install(client, Memcached);
    const manager = startManager({ controllers: [memcached], client });
    await manager.ready;
    const ref = { name: "cache", namespace: "default" };
    await client.apply(Memcached, { metadata: ref, spec: { size: 2 } });
    const { status } = await client.waitFor(Memcached, ref, (it) => it.status?.nodes?.length === 2, { timeout: 30_000 });
    expect(status?.observedGeneration).toBe(1);
    await client.delete(Memcached, ref, { propagation: "Foreground" });
    await client.waitForDeletion(Deployment, ref, { timeout: 60_000 });
    await manager.stop();
    await client.close();
  });
});
