/** What the Memcached operator can do, on nodes whose pods are real memcached servers, told by levels. */
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type Manager, silent, start } from "pintle";
import type { Client } from "pintle/client";
import type { JsonObject } from "pintle/kinds";
import { CustomResourceDefinition } from "pintle/kinds/apiextensions/v1";
import { Deployment, ReplicaSet } from "pintle/kinds/apps/v1";
import { Pod } from "pintle/kinds/core/v1";
import { Event } from "pintle/kinds/events/v1";
import { PodDisruptionBudget } from "pintle/kinds/policy/v1";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { sizeFor } from "../../examples/memcached/src/decide.ts";
import { LABEL } from "../../examples/memcached/src/deployment.ts";
import { Memcached } from "../../examples/memcached/src/memcached.ts";
import { breakingChanges } from "../../packages/cli/src/checks/index.ts";
import { LEVELS, type Level, levels } from "../levels/index.ts";
import { fires, rulesOf, scrapeOf } from "../levels/rules.ts";
import { FormerMemcached, former } from "./former.ts";
import { condition, conditionsSeen, isDone, namespace, operating, podsOf, serversOf, within } from "./operated.ts";
import { type Ground, isInstalled, places } from "./place.ts";
import { empty, fill, recall, remember, type Server, statsOf } from "./server.ts";

const PORT = 11_211;
/** Of a kilobyte: three quarters of what a server may keep. */
const ITEMS = 50_000;
const PROJECT = fileURLToPath(new URL("../../examples/memcached/", import.meta.url));
const ALERTS = `${PROJECT}config/monitoring/alerts.yaml`;
const ref = { name: "cache", namespace };
const kept = { name: "kept", namespace };

describe.skipIf(!isInstalled).each(places)("the Memcached operator on $name", { timeout: 300_000 }, ({ name, start: begin }) => {
  const told = levels(`memcached on ${name}`, {
    exempt: [{ level: 3, why: "backup and restore: what a cache forgets is asked for anew where it came from" }],
  });
  const proof = (level: Level, shows: string, run: () => Promise<void>) =>
    test(`${LEVELS[level - 1]}: ${shows}`, () => told.prove({ level, shows, run }));
  let ground: Ground;
  let client: Client;
  let operator: Manager;
  let again: () => Promise<Manager>;
  beforeAll(async () => {
    ground = await begin();
    client = ground.client;
  });
  afterAll(async () => {
    await operator?.stop();
    await ground?.[Symbol.asyncDispose]();
  });
  const done = (ref: { readonly name: string }) => client.wait(Memcached, { ...ref, namespace }, isDone, within);
  const change = (spec: object) => client.patch(Memcached, ref, { merge: { spec } });
  const answers = async (server: Server) => {
    await vi.waitFor(() => remember(server, "who", server.host), within);
    expect(await recall(server, "who")).toBe(server.host);
  };

  proof(2, "a new release leaves pods, and what they remember, alone", async () => {
    await client.apply(CustomResourceDefinition, FormerMemcached.crd());
    const before = start({ controllers: [former], client, logger: silent });
    await before.ready;
    await client.apply(FormerMemcached, { metadata: kept, spec: { size: 2 } });
    await client.wait(FormerMemcached, kept, ({ status }) => status?.ready === 2, within);
    const servers = await serversOf(client, "kept", PORT);
    for (const server of servers) await remember(server, "old", server.host);
    await before.stop();
    again = await operating(client);
    operator = await again();
    const { spec, status } = await done(kept);
    expect(spec).toEqual({ size: 2, image: "memcached:1.6-alpine", port: PORT });
    expect(status?.nodes).toEqual((await podsOf(client, "kept")).map(({ metadata }) => metadata.name).sort());
    for (const server of servers) expect(await recall(server, "old")).toBe(server.host);
    expect((await client.get(FormerMemcached, kept)).spec).toEqual({ size: 2, image: spec.image, containerPort: PORT });
  });

  proof(2, "nothing that is stored becomes wrong", async () => {
    expect(breakingChanges(FormerMemcached.crd() as unknown as JsonObject, Memcached.crd() as unknown as JsonObject)).toEqual([]);
  });

  proof(1, "one object gives servers that answer, each for itself, and a status that says so", async () => {
    await client.apply(Memcached, { metadata: ref, spec: { size: 3 } });
    const { status } = await done(ref);
    expect(status?.ready).toBe(3);
    const servers = await serversOf(client, "cache", PORT);
    for (const server of servers) await answers(server);
    expect(new Set(await Promise.all(servers.map((server) => recall(server, "who")))).size).toBe(3);
    expect((await statsOf(servers[0]!)).get("limit_maxbytes")).toBe(String(64 * 1024 * 1024));
  });

  proof(1, "each field of the spec changes the servers, and progress is seen", async () => {
    await using seen = conditionsSeen(client, ref.name);
    await change({ size: 2, port: 12_000, image: "memcached:1.6.40" });
    await done(ref);
    const pods = await podsOf(client, "cache");
    expect(pods.map(({ spec }) => spec.containers[0]?.image)).toEqual(["memcached:1.6.40", "memcached:1.6.40"]);
    for (const server of await serversOf(client, "cache", 12_000)) await answers(server);
    await vi.waitFor(() => expect(seen.all).toContain("Progressing True"), within);
  });

  proof(1, "every field is explained, and a wrong value is refused by its name", async () => {
    const unexplained: string[] = [];
    for (const version of Memcached.crd().spec.versions) look(version.schema.openAPIV3Schema.properties?.["spec"], `${version.name} spec`);
    expect(unexplained).toEqual([]);
    for (const [field, value] of Object.entries({ size: 10, port: 1, image: "" }))
      await expect(change({ [field]: value })).rejects.toThrow(new RegExp(`spec\\.${field}`));
    function look(schema: { readonly properties?: Readonly<Record<string, any>> | undefined } | undefined, path: string): void {
      for (const [name, field] of Object.entries(schema?.properties ?? {})) {
        if (field.description === undefined) unexplained.push(`${path}.${name}`);
        look(field, `${path}.${name}`);
      }
    }
  });

  proof(2, "while another version is rolled out, somebody always answers", async () => {
    const answered = async () => {
      const heard = await Promise.allSettled((await serversOf(client, "cache", 12_000)).map((server) => recall(server, "any")));
      return heard.some(({ status }) => status === "fulfilled");
    };
    await change({ image: "memcached:1.6.41" });
    let isOver = false;
    const rollout = done(ref).finally(() => {
      isOver = true;
    });
    // Whoever was listed may be gone a moment later: then the list is read again.
    while (!isOver) expect((await answered()) || (await answered()) || (await answered())).toBe(true);
    await rollout;
  });

  proof(2, "an image that nobody has is named, and what runs is left alone", async () => {
    const pids = async () => {
      const servers = await serversOf(client, "cache", 12_000);
      const heard = await Promise.allSettled(servers.map((server) => statsOf(server)));
      return new Set(heard.flatMap((each) => (each.status === "fulfilled" ? [each.value.get("pid")] : [])));
    };
    const before = await pids();
    await change({ image: "example.invalid/memcached:9" });
    const stuck = (object: Memcached) => /^(ErrImagePull|ImagePullBackOff)$/.test(condition(object, "Progressing")?.reason ?? "");
    const object = await client.wait(Memcached, ref, stuck, within);
    expect(condition(object, "Available")).toMatchObject({ status: "True" });
    expect(await pids()).toEqual(before);
    await change({ image: "memcached:1.6.41" });
    await done(ref);
    expect(await pids()).toEqual(before);
  });

  proof(2, "an operator that ends in the middle is gone on from", async () => {
    await change({ image: "memcached:1.6.42" });
    await operator.stop();
    operator = await again();
    await done(ref);
    expect((await podsOf(client, "cache")).map(({ spec }) => spec.containers[0]?.image)).toEqual(["memcached:1.6.42", "memcached:1.6.42"]);
  });

  proof(3, "scaled from one to three to one, nodes are pods", async () => {
    for (const size of [1, 3, 1]) {
      await client.scale.patch(Memcached, ref, { merge: { spec: { replicas: size } } });
      const { status } = await client.wait(Memcached, ref, (object) => object.spec.size === size && isDone(object), within);
      expect(status?.nodes).toEqual((await podsOf(client, "cache")).map(({ metadata }) => metadata.name).sort());
    }
  });

  proof(3, "a server that is killed comes back, and is not available meanwhile", async () => {
    await done(ref);
    const [pod] = await podsOf(client, "cache");
    await using seen = conditionsSeen(client, ref.name);
    await vi.waitFor(() => expect(seen.all).toContain("Available True"), within);
    ground.node.faults.kill({ namespace, pod: pod!.metadata.name });
    await vi.waitFor(() => expect(seen.all).toContain("Available False"), within);
    await done(ref);
    const [back] = await podsOf(client, "cache");
    expect(back?.status.containerStatuses?.[0]?.restartCount).toBe(1);
    for (const server of await serversOf(client, "cache", 12_000)) await answers(server);
  });

  proof(3, "when all servers are killed at once, all come back, and the condition has said so", async () => {
    await change({ size: 3 });
    await done(ref);
    await using seen = conditionsSeen(client, ref.name);
    await vi.waitFor(() => expect(seen.all).toContain("Available True"), within);
    for (const { metadata } of await podsOf(client, "cache")) ground.node.faults.kill({ namespace, pod: metadata.name });
    await vi.waitFor(() => expect(seen.all).toContain("Available False"), within);
    await done(ref);
    for (const server of await serversOf(client, "cache", 12_000)) await answers(server);
  });

  proof(3, "probes, resources and a budget for disruptions are there", async () => {
    const [container] = (await client.get(Deployment, ref)).spec.template.spec!.containers;
    expect(container).toMatchObject({ readinessProbe: {}, livenessProbe: {}, resources: { requests: {}, limits: {} } });
    const { spec } = await client.get(PodDisruptionBudget, ref);
    expect(spec).toEqual({ maxUnavailable: 1, selector: { matchLabels: { [LABEL]: "cache" } } });
  });

  const scrape = () => scrapeOf(operator.metrics.text());
  const ofCache = (metric: string) => [...(scrape().get(metric) ?? [])].filter(([labels]) => labels.includes('memcached="cache"'));
  const alert = (name: string) => rulesOf(ALERTS).find((rule) => rule.alert === name)!;
  const reasonsOfEvents = async () =>
    (await client.list(Event, { namespace })).items.filter(({ regarding }) => regarding?.name === "cache").map(({ reason }) => reason);

  proof(4, "the operator tells its own numbers and those of every server, and they move", async () => {
    await change({ size: 2, autopilot: { min: 2, max: 3 } });
    await done(ref);
    await vi.waitFor(() => expect(ofCache("memcached_up").map(([, up]) => up)).toEqual([1, 1]), within);
    expect(scrape().get("controller_runtime_reconcile_total")?.size).toBeGreaterThan(0);
    const sum = (metric: string) => ofCache(metric).reduce((all, [, value]) => all + value, 0);
    const [before, asked] = [sum("memcached_items"), sum("memcached_gets_total")];
    for (const server of await serversOf(client, "cache", 12_000)) {
      await remember(server, "insight", "deep");
      await recall(server, "insight");
    }
    await vi.waitFor(() => expect([sum("memcached_items"), sum("memcached_gets_total")]).toEqual([before + 2, asked + 2]), within);
  });

  proof(4, "every alert has a severity, a runbook that exists, and an expression over what is told; none fires", async () => {
    const now = scrape();
    for (const rule of rulesOf(ALERTS)) {
      expect(["critical", "warning"]).toContain(rule.severity);
      expect(existsSync(PROJECT + rule.runbook), rule.runbook).toBe(true);
      expect(fires(rule, now, now), rule.alert).toBe(false);
    }
  });

  let victim = "";
  proof(4, "an alert fires when a server hangs", async () => {
    victim = (await podsOf(client, "cache"))[0]!.metadata.name;
    ground.node.faults.hang({ namespace, pod: victim });
    await vi.waitFor(() => expect(fires(alert("MemcachedDown"), scrape(), new Map())).toBe(true), { ...within, interval: 100 });
  });

  proof(5, "a server that hangs is replaced, without anybody's doing", async () => {
    const { generation } = (await client.get(Memcached, ref)).metadata;
    const isReplaced = (object: Memcached) => isDone(object) && object.status?.nodes?.includes(victim) === false;
    const { metadata } = await client.wait(Memcached, ref, isReplaced, within);
    expect(metadata.generation).toBe(generation);
    await vi.waitFor(() => expect(fires(alert("MemcachedDown"), scrape(), new Map())).toBe(false), within);
    for (const server of await serversOf(client, "cache", 12_000)) await answers(server);
  });

  proof(5, "it grows when its servers are full, and shrinks when they are empty again, without anybody's doing", async () => {
    const full = await serversOf(client, "cache", 12_000);
    for (const server of full) await fill(server, ITEMS);
    const sized = (size: number) => (object: Memcached) => object.spec.size === size && isDone(object);
    await client.wait(Memcached, ref, sized(3), within);
    const servers = await serversOf(client, "cache", 12_000);
    for (const server of servers) await empty(server, ITEMS);
    await client.wait(Memcached, ref, sized(2), within);
  });

  proof(5, "nothing goes to and fro in a steady hour, however full the servers are", async () => {
    const everyFiveSeconds = 720;
    for (let percent = 0; percent <= 900; percent += 5) {
      let size = 1;
      let changes = 0;
      let up = 0;
      for (let look = 0; look < everyFiveSeconds; look++) {
        // As much is kept whatever the size, as far as it fits.
        const servers = Array.from({ length: size }, (_, i) => ({ name: `${i}`, fill: Math.min(percent / 100 / size, 1) }));
        const next = sizeFor({ min: 1, max: 9 }, size, servers);
        if (next > size) up++;
        if (next !== size) changes++;
        size = next;
      }
      expect(changes, `${percent} % of one server`).toBe(up);
    }
  });

  proof(4, "what was done is told by Events, without a flood", async () => {
    const reasons = await reasonsOfEvents();
    expect(reasons).toEqual(expect.arrayContaining(["Replaced", "Scaled"]));
    expect(reasons.length).toBeLessThan(20);
  });

  proof(1, "deleted, nothing of it is left", async () => {
    const servers = [...(await serversOf(client, "cache", 12_000)), ...(await serversOf(client, "kept", PORT))];
    for (const each of [ref, kept]) await client.delete(Memcached, each);
    for (const each of [ref, kept]) await client.waitGone(Memcached, each, within);
    const left = async () => {
      const lists = await Promise.all([Pod, Deployment, ReplicaSet].map((kind) => client.list(kind, { namespace })));
      return lists.reduce((sum, { items }) => sum + items.length, 0);
    };
    await vi.waitFor(async () => expect(await left()).toBe(0), within);
    await Promise.all(servers.map((server) => expect(statsOf(server)).rejects.toThrow()));
  });

  test("the level reached", () => {
    const { reached, text } = told.verdict();
    console.log(text);
    expect(reached).toBe(5);
  });
});
