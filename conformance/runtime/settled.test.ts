import { createLogger, startManager } from "pintle";
import type { Client } from "pintle/client";
import { systemClock } from "pintle/internal/clock";
import { Deployment } from "pintle/kinds/apps/v1";
import { ConfigMap, Service } from "pintle/kinds/core/v1";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { full } from "../sampling.ts";
import { Bundle, type BundleOptions, bundles, childrenOf } from "./bundle.ts";
import { startInjector } from "./injector.ts";
import { recordRequests } from "./request-log.ts";
import { EMBEDDED_SERVER, install, REAL_SERVER, type RuntimeServer } from "./servers.ts";

/** Number of objects of every kind, for each of the two operators below. */
const RUNS = full ? 1_000 : 50;

interface SettledCase {
  readonly on: string;
  readonly begin: () => Promise<RuntimeServer>;
  /** A mutating webhook changes what is applied. */
  readonly injected: boolean;
}
const CASES: readonly SettledCase[] = [
  { on: REAL_SERVER[0], begin: REAL_SERVER[1], injected: false },
  { on: `${REAL_SERVER[0]} with a mutating webhook that changes the objects`, begin: REAL_SERVER[1], injected: true },
  { on: EMBEDDED_SERVER[0], begin: EMBEDDED_SERVER[1], injected: false },
];

describe.each(CASES)("on $on", ({ begin, injected }) => {
  let server: RuntimeServer;
  let client: Client;
  let webhook: Awaited<ReturnType<typeof startInjector>> | undefined;
  beforeAll(async () => {
    server = await begin();
    client = await server.connect();
    await install(client, Bundle);
    if (injected) webhook = await startInjector(client);
  });
  afterAll(async () => {
    await webhook?.stop();
    await client?.close();
    await server?.stop();
  });

  const ref = { name: "bundle", namespace: "default" };
  async function startOperator(options: BundleOptions = {}) {
    const { client: counting, requests } = recordRequests(await server.connect());
    const lines: any[] = [];
    const logger = createLogger({ clock: systemClock, level: "debug", write: (line) => lines.push(JSON.parse(line)) });
    let runs = 0;
    let enqueue = () => {};
    async function* again(signal: AbortSignal) {
      signal.addEventListener("abort", () => enqueue(), { once: true });
      while (!signal.aborted) {
        await new Promise<void>((resolve) => {
          enqueue = resolve;
        });
        yield ref;
      }
    }
    const controller = bundles({ ...options, again, reconciled: () => runs++ });
    const manager = startManager({ controllers: [controller], client: counting, logger });
    await manager.ready;
    return {
      manager,
      requests,
      lines,
      /** Reconciles the bundle `count` times in sequence; resolves to the requests it took. */
      async reconciles(count: number): Promise<readonly string[]> {
        requests.length = 0;
        for (let i = 0; i < count; i++) {
          const before = runs;
          enqueue();
          while (runs === before) await new Promise((turn) => setImmediate(turn));
        }
        return [...requests];
      },
    };
  }
  const settled = (label: string) =>
    client.waitFor(Bundle, ref, (it) => it.status?.observedGeneration === it.metadata.generation && it.spec.poke === label, {
      timeout: 60_000,
    });
  async function touchBundle(label: string): Promise<void> {
    await client.patch(Bundle, ref, { merge: { spec: { poke: label } } });
    await settled(label);
  }
  const filterChildRequests = (requests: readonly string[]) => requests.filter((line) => !line.includes("bundles"));

  test("RT-42 every kind settles: no request for a settled object, also after a restart; a field that is no longer desired is removed", async () => {
    const count = childrenOf("x", false).length;
    expect(new Set(childrenOf("x", false).map(({ id }) => id)).size).toBeGreaterThanOrEqual(25);
    const first = await startOperator({ extra: true });
    await client.apply(Bundle, { metadata: ref, spec: { poke: "0" } });
    await settled("0");
    const rewritten = first.lines
      .filter((line) => line.message.startsWith("the server keeps"))
      .map((line) => `${line.child}: ${line.fields.join(" ")}`);
    console.log(`${filterChildRequests(first.requests).length} requests for ${count} kinds; stored differently:\n${rewritten.join("\n")}`);
    expect(first.lines.filter((line) => line.level === "error")).toEqual([]);
    const { spec, metadata } = await client.get(Deployment, ref);
    expect(spec.template.spec?.containers.length).toBe(injected ? 2 : 1);
    expect(metadata.labels?.["injected"]).toBe(injected ? "yes" : undefined);
    await touchBundle("all of it");

    // No request at all: neither for the children nor for the status.
    expect(await first.reconciles(RUNS)).toEqual([]);
    await first.manager.stop();
    if (injected) expect(webhook!.reviews()).toBeGreaterThan(count);

    const second = await startOperator({ extra: true });
    await touchBundle("again");
    expect(filterChildRequests(second.requests)).toEqual([]);
    expect(await second.reconciles(RUNS)).toEqual([]);

    // Labels of other managers are left alone; a change to a field of ours is reverted with one request.
    await client.patch(Service, ref, { merge: { metadata: { labels: { theirs: "yes" } } } });
    await client.patch(ConfigMap, ref, { merge: { data: { b: "changed" } } });
    await client.waitFor(ConfigMap, ref, (it) => it.data?.["b"] === "x", { timeout: 20_000 });
    await client.patch(Deployment, ref, { merge: { spec: { replicas: 1 } } });
    await client.waitFor(Deployment, ref, (it) => it.spec.replicas === 0, { timeout: 20_000 });
    await touchBundle("more");
    expect(filterChildRequests(second.requests)).toEqual(["apply configmaps default/bundle", "apply deployments default/bundle"]);
    expect(second.lines.filter((line) => line.level === "error")).toEqual([]);
    await second.manager.stop();

    // The next version of the operator no longer desires some fields: they are removed, and nothing else is changed.
    const third = await startOperator();
    await client.waitFor(Deployment, ref, (it) => (it.spec.minReadySeconds ?? 0) === 0, { timeout: 20_000 });
    await touchBundle("less");
    expect((await client.get(ConfigMap, ref)).metadata.annotations?.["example.com/extra"]).toBeUndefined();
    expect((await client.get(Service, ref)).metadata.labels).toMatchObject({ theirs: "yes" });
    expect(filterChildRequests(third.requests).sort()).toEqual([
      "apply configmaps default/bundle",
      // A field that the server stores differently costs a second request per change.
      "apply deployments default/bundle",
      "apply deployments default/bundle",
      "apply services default/bundle",
    ]);
    expect(await third.reconciles(10)).toEqual([]);
    expect(third.lines.filter((line) => line.level === "error")).toEqual([]);
    await third.manager.stop();
  }, 240_000);
});
