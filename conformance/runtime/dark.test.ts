import { setTimeout as sleep } from "node:timers/promises";
import { controller, silent, start } from "pintle";
import { type Client, connect } from "pintle/client";
import { ConfigMap } from "pintle/kinds/core/v1";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ControlPlane, startControlPlane } from "../real/index.ts";
import { full } from "../sampling.ts";
import { until } from "./electorate.ts";
import { type Tunnel, tunnel } from "./tunnel.ts";

const DARK = 120_000;
const NOTICED = 75_000;

describe("a network between", () => {
  let plane: ControlPlane;
  let client: Client;
  let way: Tunnel;
  beforeAll(async () => {
    plane = await startControlPlane();
    client = await connect({ kubeconfig: plane.kubeconfig, onWarning: () => {} });
    way = await tunnel(plane.kubeconfig, plane.server);
  });
  afterAll(async () => {
    await way?.close();
    await client?.close();
    await plane?.stop();
  });

  const seen = new Set<string>();
  const op = controller(ConfigMap, { reconcile: ({ object }) => void seen.add(object.metadata.name) });
  const map = (name: string) => client.create(ConfigMap, { metadata: { name, namespace: "default" } });

  test("c-r 7.10 that cuts every connection: what happens meanwhile is seen, once, and nothing is listed again", async () => {
    const manager = start({ controllers: [op], kubeconfig: way.kubeconfig, namespaces: ["default"], logger: silent });
    await manager.ready;
    for (let i = 0; i < 20; i++) {
      way.cut();
      await map(`cut-${i}`);
    }
    await until("all of them", () => Array.from({ length: 20 }, (_, i) => `cut-${i}`).every((name) => seen.has(name)));
    expect(manager.metrics.text()).toContain('pintle_cache_lists_total{kind="ConfigMap"} 1');
    await manager.stop();
  });

  // These take minutes by the nature of it; the same in virtual time is part of every `npm test`.
  if (full) {
    test("idea 1 for two minutes: readiness goes false, and the next event is handled within 75 s of the light", async () => {
      const manager = start({
        controllers: [op],
        kubeconfig: way.kubeconfig,
        namespaces: ["default"],
        health: "127.0.0.1:0",
        logger: silent,
      });
      await manager.ready;
      const ready = async () => (await fetch(`http://127.0.0.1:${manager.ports.health}/readyz`)).status === 200;
      await map("before");
      await until("the first", () => seen.has("before"));
      expect(await ready()).toBe(true);

      way.dark(true);
      const began = performance.now();
      await map("unseen");
      await until("readiness to be gone", async () => !(await ready()), NOTICED + 5_000);
      expect(performance.now() - began).toBeLessThan(NOTICED);
      await sleep(DARK - (performance.now() - began));
      expect(seen.has("unseen")).toBe(false);
      way.dark(false);
      await map("next");
      const took = await until("what was missed", () => seen.has("unseen") && seen.has("next"), NOTICED + 5_000);
      expect(took).toBeLessThan(NOTICED);
      expect(await ready()).toBe(true);
      console.log(`dark for ${DARK / 1000} s, caught up ${(took / 1000).toFixed(1)} s after`);
      await manager.stop();
    }, 300_000);

    test("idea 1 only the one connection dies: replaced within 75 s, readiness false in between", async () => {
      seen.clear();
      const manager = start({
        controllers: [op],
        kubeconfig: way.kubeconfig,
        namespaces: ["default"],
        health: "127.0.0.1:0",
        logger: silent,
      });
      await manager.ready;
      const states: boolean[] = [];
      const unready = setInterval(() => states.push(manager.health().every(({ fresh }) => fresh)), 1);
      await map("alive");
      await until("the first", () => seen.has("alive"));
      // What is on its way is lost, and with it the connection; a new one works.
      way.dark(true);
      await map("lost");
      await sleep(500);
      way.dark(false);
      const took = await until("the replacement", () => seen.has("lost"), NOTICED + 5_000);
      clearInterval(unready);
      expect(took).toBeLessThan(NOTICED);
      expect(states).toContain(false);
      console.log(`replaced after ${(took / 1000).toFixed(1)} s`);
      await manager.stop();
    }, 300_000);
  }
});
