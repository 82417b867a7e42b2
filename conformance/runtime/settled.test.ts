import { logLines, start } from "pintle";
import type { Client } from "pintle/client";
import { Deployment } from "pintle/kinds/apps/v1";
import { ConfigMap, Service } from "pintle/kinds/core/v1";
import { systemClock } from "pintle/queue";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { full } from "../sampling.ts";
import { Bundle, type BundleOptions, bundles, childrenOf } from "./bundle.ts";
import { counted } from "./counted.ts";
import { injector } from "./injector.ts";
import { embedded, install, real, type Server } from "./servers.ts";

/** Of every kind, for each of the two operators below. */
const RUNS = full ? 1_000 : 50;

interface Way {
  readonly on: string;
  readonly begin: () => Promise<Server>;
  /** A webhook changes what is applied. */
  readonly injected: boolean;
}
const WAYS: readonly Way[] = [
  { on: real[0], begin: real[1], injected: false },
  { on: `${real[0]} with a mutating webhook in the way`, begin: real[1], injected: true },
  { on: embedded[0], begin: embedded[1], injected: false },
];

describe.each(WAYS)("on $on", ({ begin, injected }) => {
  let server: Server;
  let client: Client;
  let webhook: Awaited<ReturnType<typeof injector>> | undefined;
  beforeAll(async () => {
    server = await begin();
    client = await server.connect();
    await install(client, Bundle);
    if (injected) webhook = await injector(client);
  });
  afterAll(async () => {
    await webhook?.stop();
    await client?.close();
    await server?.stop();
  });

  const ref = { name: "bundle", namespace: "default" };
  async function operator(options: BundleOptions = {}) {
    const { client: counting, requests } = counted(await server.connect());
    const lines: any[] = [];
    const logger = logLines({ clock: systemClock, level: "debug", write: (line) => lines.push(JSON.parse(line)) });
    let runs = 0;
    let knock = () => {};
    async function* again(signal: AbortSignal) {
      signal.addEventListener("abort", () => knock(), { once: true });
      while (!signal.aborted) {
        await new Promise<void>((resolve) => {
          knock = resolve;
        });
        yield ref;
      }
    }
    const controller = bundles({ ...options, again, reconciled: () => runs++ });
    const manager = start({ controllers: [controller], client: counting, logger });
    await manager.ready;
    return {
      manager,
      requests,
      lines,
      /** Reconciles the bundle so many times, one after the other; the requests that took. */
      async reconciles(count: number): Promise<readonly string[]> {
        requests.length = 0;
        for (let i = 0; i < count; i++) {
          const before = runs;
          knock();
          while (runs === before) await new Promise((turn) => setImmediate(turn));
        }
        return [...requests];
      },
    };
  }
  const settled = (label: string) =>
    client.wait(Bundle, ref, (it) => it.status?.observedGeneration === it.metadata.generation && it.spec.poke === label, {
      timeout: 60_000,
    });
  async function poke(label: string): Promise<void> {
    await client.patch(Bundle, ref, { merge: { spec: { poke: label } } });
    await settled(label);
  }
  const ofChildren = (requests: readonly string[]) => requests.filter((line) => !line.includes("bundles"));

  test("better 9 every kind settles: no request for a settled object, also after a restart; a dropped field goes", async () => {
    const count = childrenOf("x", false).length;
    expect(new Set(childrenOf("x", false).map(({ id }) => id)).size).toBeGreaterThanOrEqual(25);
    const first = await operator({ extra: true });
    await client.apply(Bundle, { metadata: ref, spec: { poke: "0" } });
    await settled("0");
    const rewritten = first.lines
      .filter((line) => line.message.startsWith("the server keeps"))
      .map((line) => `${line.child}: ${line.fields.join(" ")}`);
    console.log(`${ofChildren(first.requests).length} requests for ${count} kinds; kept otherwise:\n${rewritten.join("\n")}`);
    expect(first.lines.filter((line) => line.level === "error")).toEqual([]);
    const { spec, metadata } = await client.get(Deployment, ref);
    expect(spec.template.spec?.containers.length).toBe(injected ? 2 : 1);
    expect(metadata.labels?.["injected"]).toBe(injected ? "yes" : undefined);
    await poke("all of it");

    // No request at all: neither for the children nor for the status.
    expect(await first.reconciles(RUNS)).toEqual([]);
    await first.manager.stop();
    if (injected) expect(webhook!.reviews()).toBeGreaterThan(count);

    const second = await operator({ extra: true });
    await poke("again");
    expect(ofChildren(second.requests)).toEqual([]);
    expect(await second.reconciles(RUNS)).toEqual([]);

    // Foreign labels are none of our business; a foreign change to our field is undone with one request.
    await client.patch(Service, ref, { merge: { metadata: { labels: { theirs: "yes" } } } });
    await client.patch(ConfigMap, ref, { merge: { data: { b: "changed" } } });
    await client.wait(ConfigMap, ref, (it) => it.data?.["b"] === "x", { timeout: 20_000 });
    await client.patch(Deployment, ref, { merge: { spec: { replicas: 1 } } });
    await client.wait(Deployment, ref, (it) => it.spec.replicas === 0, { timeout: 20_000 });
    await poke("more");
    expect(ofChildren(second.requests)).toEqual(["apply configmaps default/bundle", "apply deployments default/bundle"]);
    expect(second.lines.filter((line) => line.level === "error")).toEqual([]);
    await second.manager.stop();

    // The next version of the operator does not want some fields any more: they go, and nothing else is touched.
    const third = await operator();
    await client.wait(Deployment, ref, (it) => (it.spec.minReadySeconds ?? 0) === 0, { timeout: 20_000 });
    await poke("less");
    expect((await client.get(ConfigMap, ref)).metadata.annotations?.["example.com/extra"]).toBeUndefined();
    expect((await client.get(Service, ref)).metadata.labels).toMatchObject({ theirs: "yes" });
    expect(ofChildren(third.requests).sort()).toEqual([
      "apply configmaps default/bundle",
      // What the server does not keep as it is wanted costs a second request per change.
      "apply deployments default/bundle",
      "apply deployments default/bundle",
      "apply services default/bundle",
    ]);
    expect(await third.reconciles(10)).toEqual([]);
    expect(third.lines.filter((line) => line.level === "error")).toEqual([]);
    await third.manager.stop();
  }, 240_000);
});
