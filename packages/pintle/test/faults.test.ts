import { expect, test } from "vitest";
import * as z from "zod";
import { createCache, type ObjectChange } from "../src/cache/index.ts";
import { createClient } from "../src/client/index.ts";
import { type Random, seededRandom, type VirtualClock, virtualClock } from "../src/clock/index.ts";
import { controller, silentLogger } from "../src/controller/index.ts";
import { ConfigMap } from "../src/kinds/generated/core/v1.ts";
import { startManager } from "../src/manager/index.ts";
import { defineResource } from "../src/resource/index.ts";
import { brokenConnection, createFakeApiServer, type FakeApiServer, statusResponse } from "./fakes/api-server.ts";

const Thing = defineResource({
  group: "example.com",
  version: "v1",
  kind: "Thing",
  spec: z.object({ n: z.int().default(0) }),
  status: z.object({ n: z.int() }),
});
const createThing = (name: string, n: number) => ({
  apiVersion: "example.com/v1",
  kind: "Thing",
  metadata: { name, namespace: "d" },
  spec: { n },
});
const things = controller(Thing, {
  owns: [ConfigMap],
  reconcile({ object, want }) {
    const { name } = object.metadata;
    const data = { n: String(object.spec.n) };
    // Objects with an odd number have two children.
    const second = object.spec.n % 2 === 1 && ConfigMap.desired({ metadata: { name: `${name}-2` }, data });
    return want({ children: { first: ConfigMap.desired({ metadata: { name }, data }), second }, status: { n: object.spec.n } });
  },
});

interface Chaos {
  readonly server: FakeApiServer;
  readonly clock: VirtualClock;
  readonly random: Random;
}
const pick = (random: Random, n: number) => Math.floor(random() * n);

/** Faults; a returned number is the duration in milliseconds. */
const FAULTS: Readonly<Record<string, (chaos: Chaos) => number | undefined>> = {
  "an ended stream": ({ server }) => void server.cut("end"),
  "a broken stream": ({ server }) => void server.cut("error"),
  "a truncated stream": ({ server, random }) => {
    // Events are in flight when the fault happens.
    for (let i = 0; i < 4; i++) change({ server, random } as Chaos);
    server.cut("truncate");
    return undefined;
  },
  "a silent stream": ({ server }) => void server.cut("blackhole"),
  "a slow stream": ({ server, random }) => {
    server.pace = 1 + pick(random, 5_000);
    return pick(random, 60_000);
  },
  "a late stream": ({ server, random }) => {
    server.holdEvents(true);
    return pick(random, 60_000);
  },
  "a forgotten version": ({ server }) => {
    server.compact();
    server.cut("end");
    return undefined;
  },
  "a storm of 410": ({ server, random }) => {
    server.intercept = (request) => (request.method === "GET" && random() < 0.8 ? statusResponse(410, "Expired") : undefined);
    server.cut("end");
    return pick(random, 60_000);
  },
  "500s": ({ server, random }) => {
    server.intercept = () => (random() < 0.5 ? statusResponse(500, "InternalError") : undefined);
    return pick(random, 60_000);
  },
  "429s": ({ server, random }) => {
    const refuse = () => statusResponse(429, "TooManyRequests", "busy", { retryAfterSeconds: 1 + pick(random, 5) });
    server.intercept = () => (random() < 0.7 ? refuse() : undefined);
    return pick(random, 60_000);
  },
  // The server is unreachable; responses of writes that arrived can be lost too.
  "an outage": (chaos) => outage(chaos, pick(chaos.random, 60_000)),
  "five minutes of outage": (chaos) => outage(chaos, 300_000),
  "lost answers": ({ server, random }) => {
    const { request } = server.transport;
    (server.transport as { request: typeof request }).request = async (sent) => {
      const answer = await request(sent);
      if (sent.method !== "GET" && random() < 0.5) throw brokenConnection("answer");
      return answer;
    };
    return pick(random, 20_000);
  },
  "a bookmark": ({ server }) => void server.bookmark(),
};
function outage({ server }: Chaos, lasts: number): number {
  server.intercept = () => {
    throw brokenConnection("outage");
  };
  server.cut("error");
  return lasts;
}
const suffered = new Map<string, number>();

/** Injects one fault for a while. */
async function fault(chaos: Chaos): Promise<void> {
  const { server, clock, random } = chaos;
  const names = Object.keys(FAULTS);
  const name = names[pick(random, names.length)]!;
  suffered.set(name, (suffered.get(name) ?? 0) + 1);
  const { request } = server.transport;
  const lasts = FAULTS[name]!(chaos);
  if (lasts !== undefined) await clock.advance(lasts);
  server.intercept = undefined;
  server.pace = 0;
  server.holdEvents(false);
  (server.transport as { request: typeof request }).request = request;
}

/** One change by another client. */
function change({ server, random }: Chaos): void {
  const name = `t${pick(random, 6)}`;
  const maps = server.list("configmaps");
  const map = maps[pick(random, Math.max(1, maps.length))];
  switch (pick(random, 6)) {
    case 0:
      server.remove("things", "d", name);
      return;
    case 1:
      if (map) server.remove("configmaps", "d", map["metadata"].name);
      return;
    case 2:
      if (map) server.put("configmaps", { metadata: { name: map["metadata"].name, namespace: "d" }, data: { n: "foreign" } });
      return;
    default:
      server.put("things", createThing(name, pick(random, 100)));
  }
}

/** Garbage-collects children of deleted owners. */
function collectGarbage(server: FakeApiServer): void {
  const alive = new Set(server.list("things").map(({ metadata }: any) => metadata.uid));
  for (const { metadata } of server.list("configmaps") as any[])
    if (!alive.has(metadata.ownerReferences?.[0]?.uid)) server.remove("configmaps", "d", metadata.name);
}

async function scenario(seed: number): Promise<void> {
  const random = seededRandom(seed);
  const clock = virtualClock();
  const server = createFakeApiServer({ clock, streaming: random() < 0.7 });
  const chaos = { server, clock, random };
  for (let i = 0; i < 3; i++) change(chaos);
  const client = createClient(server.transport, { clock: clock, random: seededRandom(seed + 1), onWarning: () => {} });
  const local = createCache({ client, clock, random: seededRandom(seed + 2) });
  const delivered = new Map<string, string>();
  const wrong: string[] = [];
  const views = [local.watch(Thing), local.watch(ConfigMap)];
  for (const view of views)
    view.addEventHandler((change: ObjectChange<any>) => {
      const { kind, metadata } = change.new ?? change.old;
      const key = `${kind}/${metadata.name}`;
      const known = delivered.get(key);
      // Each change starts from the state of the last one: nothing was lost or invented.
      const begins = change.old?.metadata.resourceVersion;
      if (change.new === undefined ? known === undefined : known !== begins)
        wrong.push(`${change.event} ${key}: from ${begins}, known ${known}`);
      if (change.new === undefined) delivered.delete(key);
      else delivered.set(key, change.new.metadata.resourceVersion);
    });
  const manager = startManager({
    controllers: [things],
    client,
    cache: local,
    clock,
    random: seededRandom(seed + 3),
    logger: silentLogger,
  });
  for (let step = 0; step < 12; step++) {
    for (let i = pick(random, 4); i > 0; i--) change(chaos);
    await clock.advance(pick(random, 3_000));
    if (random() < 0.3) collectGarbage(server);
    if (random() < 0.7) await fault(chaos);
  }
  for (let minute = 0; minute < 5; minute++) {
    await clock.advance(60_000);
    collectGarbage(server);
  }
  await clock.advance(90_000);
  await manager.ready;

  const seen = (at: number) =>
    views[at]!.list()
      .map(({ metadata }: any) => `${metadata.name} ${metadata.resourceVersion}`)
      .sort();
  const listNames = (plural: string) =>
    server
      .list(plural)
      .map(({ metadata }: any) => `${metadata.name} ${metadata.resourceVersion}`)
      .sort();
  expect(wrong, `seed ${seed}`).toEqual([]);
  expect(seen(0), `seed ${seed}`).toEqual(listNames("things"));
  expect(seen(1), `seed ${seed}`).toEqual(listNames("configmaps"));
  const wanted = server
    .list("things")
    .flatMap(({ metadata, spec }: any) => [`${metadata.name} ${spec.n}`, ...(spec.n % 2 === 1 ? [`${metadata.name}-2 ${spec.n}`] : [])]);
  expect(
    server
      .list("configmaps")
      .map(({ metadata, data }: any) => `${metadata.name} ${data.n}`)
      .sort(),
    `seed ${seed}`,
  ).toEqual(wanted.sort());
  expect(
    server.list("things").every(({ spec, status }: any) => status?.n === spec.n),
    `seed ${seed}`,
  ).toBe(true);

  const stopping = manager.stop();
  await clock.advance(31_000);
  await stopping;
  await local.stop();
  expect(clock.pending, `seed ${seed}: timers left`).toBe(0);
  expect(server.watches, `seed ${seed}: watches left`).toBe(0);
}

test("RT-10 to RT-14, RT-54 500 seeded schedules of outages, 500s, 429s, 410 storms, slow, silent and truncated watches end in the undisturbed state", async () => {
  const from = Number(process.env["SEED"] ?? 0);
  const count = process.env["SEED"] === undefined ? 500 : 1;
  for (let seed = from; seed < from + count; seed++) await scenario(seed);
  if (count > 1) for (const name of Object.keys(FAULTS)) expect(suffered.get(name), name).toBeGreaterThan(100);
}, 300_000);

test("RT-57 reconciles every change of another client that races an own write: 10,000 interleavings", async () => {
  const clock = virtualClock();
  const server = createFakeApiServer({ clock });
  const random = seededRandom(42);
  const client = createClient(server.transport, { clock: clock, random: seededRandom(1), onWarning: () => {} });
  const manager = startManager({ controllers: [things], client, clock, random: seededRandom(2), logger: silentLogger });
  server.put("things", createThing("a", 0));
  await clock.settle();
  await manager.ready;
  /** Another client changes the child or the object at some point between request and response of an own write. */
  let strike = (_: "before" | "after") => {};
  const request = server.transport.request;
  (server.transport as { request: typeof request }).request = async (sent) => {
    if (sent.method === "GET") return request(sent);
    strike("before");
    const answer = await request(sent);
    strike("after");
    return answer;
  };
  for (let i = 1; i <= 10_000; i++) {
    const when = random() < 0.5 ? "before" : "after";
    const what = random();
    const delayed = random() < 0.5;
    let left = 1 + pick(random, 2);
    strike = (at) => {
      if (at !== when || left-- !== 1) return;
      // In some interleavings the watch is late, so that responses arrive first.
      if (delayed) server.holdEvents(true);
      if (what < 0.5) server.put("configmaps", { metadata: { name: "a", namespace: "d" }, data: { n: "foreign" } });
      else server.put("things", createThing("a", i * 1000));
    };
    server.put("things", createThing("a", i));
    await clock.settle();
    server.holdEvents(false);
    await clock.settle();
    if (clock.next !== undefined && clock.next < 1_000) await clock.advance(1_000);
    const { spec } = server.get("things", "d", "a") as any;
    const { data } = server.get("configmaps", "d", "a") as any;
    if (data.n !== String(spec.n)) throw new Error(`interleaving ${i}: wanted ${spec.n}, is ${data.n}`);
  }
  const stopping = manager.stop();
  await clock.advance(1_000);
  await stopping;
}, 120_000);
