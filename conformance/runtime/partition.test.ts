import { setTimeout as sleep } from "node:timers/promises";
import { controller, silentLogger, startManager } from "pintle";
import { type Client, connect } from "pintle/client";
import { ConfigMap } from "pintle/kinds/core/v1";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ControlPlane, startControlPlane } from "../real/index.ts";
import { full } from "../sampling.ts";
import { type FaultyProxy, startFaultyProxy } from "./faulty-proxy.ts";
import { waitUntil } from "./replica-group.ts";

const PARTITION_MS = 120_000;
const DETECTION_LIMIT_MS = 75_000;

describe("the network to the API server", () => {
  let plane: ControlPlane;
  let client: Client;
  let proxy: FaultyProxy;
  beforeAll(async () => {
    plane = await startControlPlane();
    client = await connect({ kubeconfig: plane.kubeconfig, onWarning: () => {} });
    proxy = await startFaultyProxy(plane.kubeconfig, plane.server);
  });
  afterAll(async () => {
    await proxy?.close();
    await client?.close();
    await plane?.stop();
  });

  const seen = new Set<string>();
  const op = controller(ConfigMap, { reconcile: ({ object }) => void seen.add(object.metadata.name) });
  const map = (name: string) => client.create(ConfigMap, { metadata: { name, namespace: "default" } });

  test("RT-10 resets every connection: the watch resumes, no event is lost, and nothing is listed again", async () => {
    const manager = startManager({ controllers: [op], kubeconfig: proxy.kubeconfig, namespaces: ["default"], logger: silentLogger });
    await manager.ready;
    for (let i = 0; i < 20; i++) {
      proxy.resetConnections();
      await map(`cut-${i}`);
    }
    await waitUntil("all of them", () => Array.from({ length: 20 }, (_, i) => `cut-${i}`).every((name) => seen.has(name)));
    expect(manager.metrics.render()).toContain('pintle_cache_lists_total{kind="ConfigMap"} 1');
    await manager.stop();
  });

  // These take minutes; the same scenario in virtual time is part of every `npm test`.
  if (full) {
    test("RT-54 drops all packets for two minutes: readiness turns false, and the next event is handled within 75 s of recovery", async () => {
      const manager = startManager({
        controllers: [op],
        kubeconfig: proxy.kubeconfig,
        namespaces: ["default"],
        health: "127.0.0.1:0",
        logger: silentLogger,
      });
      await manager.ready;
      const ready = async () => (await fetch(`http://127.0.0.1:${manager.ports.health}/readyz`)).status === 200;
      await map("before");
      await waitUntil("the first", () => seen.has("before"));
      expect(await ready()).toBe(true);

      proxy.setBlackhole(true);
      const began = performance.now();
      await map("unseen");
      await waitUntil("readiness to be gone", async () => !(await ready()), DETECTION_LIMIT_MS + 5_000);
      expect(performance.now() - began).toBeLessThan(DETECTION_LIMIT_MS);
      await sleep(PARTITION_MS - (performance.now() - began));
      expect(seen.has("unseen")).toBe(false);
      proxy.setBlackhole(false);
      await map("next");
      const took = await waitUntil("what was missed", () => seen.has("unseen") && seen.has("next"), DETECTION_LIMIT_MS + 5_000);
      expect(took).toBeLessThan(DETECTION_LIMIT_MS);
      expect(await ready()).toBe(true);
      console.log(`partitioned for ${PARTITION_MS / 1000} s, recovered ${(took / 1000).toFixed(1)} s after`);
      await manager.stop();
    }, 300_000);

    test("RT-54 loses a single connection: it is replaced within 75 s, and readiness is false in between", async () => {
      seen.clear();
      const manager = startManager({
        controllers: [op],
        kubeconfig: proxy.kubeconfig,
        namespaces: ["default"],
        health: "127.0.0.1:0",
        logger: silentLogger,
      });
      await manager.ready;
      const states: boolean[] = [];
      const unready = setInterval(() => states.push(manager.health().every(({ isFresh }) => isFresh)), 1);
      await map("alive");
      await waitUntil("the first", () => seen.has("alive"));
      // Bytes in flight are lost, and with them the connection; a new one works.
      proxy.setBlackhole(true);
      await map("lost");
      await sleep(500);
      proxy.setBlackhole(false);
      const took = await waitUntil("the replacement", () => seen.has("lost"), DETECTION_LIMIT_MS + 5_000);
      clearInterval(unready);
      expect(took).toBeLessThan(DETECTION_LIMIT_MS);
      expect(states).toContain(false);
      console.log(`replaced after ${(took / 1000).toFixed(1)} s`);
      await manager.stop();
    }, 300_000);
  }
});
