/** Proves the capability levels of the Memcached operator on nodes whose pods are real memcached servers. */
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { findBreakingCrdChanges } from "@pintle/lifecycle";
import { type Manager, silentLogger, startManager } from "pintle";
import type { Client } from "pintle/client";
import type { JsonObject } from "pintle/kinds";
import { CustomResourceDefinition } from "pintle/kinds/apiextensions/v1";
import { Deployment, ReplicaSet } from "pintle/kinds/apps/v1";
import { Pod } from "pintle/kinds/core/v1";
import { Event } from "pintle/kinds/events/v1";
import { PodDisruptionBudget } from "pintle/kinds/policy/v1";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { LABEL } from "../../examples/memcached/src/deployment.ts";
import { Memcached } from "../../examples/memcached/src/memcached.ts";
import { decideSize } from "../../examples/memcached/src/scaling.ts";
import { createLevelCheck, LEVELS, type Level } from "../levels/index.ts";
import { isFiring, parseScrape, readRules } from "../levels/rules.ts";
import { environments, isInstalled, type MemcachedEnvironment } from "./environments.ts";
import { findCondition, isDone, listPods, listServers, namespace, prepareOperator, recordConditions, WAIT_OPTIONS } from "./operator.ts";
import { PreviousMemcached, previousController } from "./previous-release.ts";
import { deleteItems, getItem, type MemcachedServer, readStats, setItem, setItems } from "./server.ts";

const PORT = 11_211;
/** Number of items of one kilobyte that fill three quarters of a server's memory. */
const ITEMS = 50_000;
const PROJECT = fileURLToPath(new URL("../../examples/memcached/", import.meta.url));
const ALERTS = `${PROJECT}config/monitoring/alerts.yaml`;
const ref = { name: "cache", namespace };
const keptRef = { name: "kept", namespace };

describe.skipIf(!isInstalled).each(environments)("the Memcached operator on $name", { timeout: 300_000 }, ({ name, start: begin }) => {
  const levelCheck = createLevelCheck(`memcached on ${name}`, {
    exempt: [{ level: 3, reason: "backup and restore: a client reloads evicted cache items from their source" }],
  });
  const proof = (level: Level, statement: string, run: () => Promise<void>) =>
    test(`${LEVELS[level - 1]}: ${statement}`, () => levelCheck.prove({ level, statement, run }));
  let environment: MemcachedEnvironment;
  let client: Client;
  let operator: Manager;
  let restartOperator: () => Promise<Manager>;
  beforeAll(async () => {
    environment = await begin();
    client = environment.client;
  });
  afterAll(async () => {
    await operator?.stop();
    await environment?.[Symbol.asyncDispose]();
  });
  const waitUntilDone = (ref: { readonly name: string }) => client.waitFor(Memcached, { ...ref, namespace }, isDone, WAIT_OPTIONS);
  const change = (spec: object) => client.patch(Memcached, ref, { merge: { spec } });
  const isResponding = async (server: MemcachedServer) => {
    await vi.waitFor(() => setItem(server, "who", server.host), WAIT_OPTIONS);
    expect(await getItem(server, "who")).toBe(server.host);
  };

  proof(2, "an upgrade of the operator keeps pods and their cached items", async () => {
    await client.apply(CustomResourceDefinition, PreviousMemcached.crd());
    const before = startManager({ controllers: [previousController], client, logger: silentLogger });
    await before.ready;
    await client.apply(PreviousMemcached, { metadata: keptRef, spec: { size: 2 } });
    await client.waitFor(PreviousMemcached, keptRef, ({ status }) => status?.ready === 2, WAIT_OPTIONS);
    const servers = await listServers(client, "kept", PORT);
    for (const server of servers) await setItem(server, "old", server.host);
    await before.stop();
    restartOperator = await prepareOperator(client);
    operator = await restartOperator();
    const { spec, status } = await waitUntilDone(keptRef);
    expect(spec).toEqual({ size: 2, image: "memcached:1.6-alpine", port: PORT });
    expect(status?.nodes).toEqual((await listPods(client, "kept")).map(({ metadata }) => metadata.name).sort());
    for (const server of servers) expect(await getItem(server, "old")).toBe(server.host);
    expect((await client.get(PreviousMemcached, keptRef)).spec).toEqual({ size: 2, image: spec.image, containerPort: PORT });
  });

  proof(2, "stored objects stay valid after the upgrade", async () => {
    expect(findBreakingCrdChanges(PreviousMemcached.crd() as unknown as JsonObject, Memcached.crd() as unknown as JsonObject)).toEqual([]);
  });

  proof(1, "creating one object starts independent servers and reports them in status", async () => {
    await client.apply(Memcached, { metadata: ref, spec: { size: 3 } });
    const { status } = await waitUntilDone(ref);
    expect(status?.ready).toBe(3);
    const servers = await listServers(client, "cache", PORT);
    for (const server of servers) await isResponding(server);
    expect(new Set(await Promise.all(servers.map((server) => getItem(server, "who")))).size).toBe(3);
    expect((await readStats(servers[0]!)).get("limit_maxbytes")).toBe(String(64 * 1024 * 1024));
  });

  proof(1, "each spec field changes the servers and reports progress", async () => {
    await using seen = recordConditions(client, ref.name);
    await change({ size: 2, port: 12_000, image: "memcached:1.6.40" });
    await waitUntilDone(ref);
    const pods = await listPods(client, "cache");
    expect(pods.map(({ spec }) => spec.containers[0]?.image)).toEqual(["memcached:1.6.40", "memcached:1.6.40"]);
    for (const server of await listServers(client, "cache", 12_000)) await isResponding(server);
    await vi.waitFor(() => expect(seen.all).toContain("Progressing True"), WAIT_OPTIONS);
  });

  proof(1, "every field is documented, and an invalid value is rejected with its field name", async () => {
    const unexplained: string[] = [];
    for (const version of Memcached.crd().spec.versions)
      checkProperties(version.schema.openAPIV3Schema.properties?.["spec"], `${version.name} spec`);
    expect(unexplained).toEqual([]);
    for (const [field, value] of Object.entries({ size: 10, port: 1, image: "" }))
      await expect(change({ [field]: value })).rejects.toThrow(new RegExp(`spec\\.${field}`));
    function checkProperties(schema: { readonly properties?: Readonly<Record<string, any>> | undefined } | undefined, path: string): void {
      for (const [name, field] of Object.entries(schema?.properties ?? {})) {
        if (field.description === undefined) unexplained.push(`${path}.${name}`);
        checkProperties(field, `${path}.${name}`);
      }
    }
  });

  proof(2, "at least one server responds throughout a rollout", async () => {
    const isAnyResponding = async () => {
      const results = await Promise.allSettled((await listServers(client, "cache", 12_000)).map((server) => getItem(server, "any")));
      return results.some(({ status }) => status === "fulfilled");
    };
    await change({ image: "memcached:1.6.41" });
    let isOver = false;
    const rollout = waitUntilDone(ref).finally(() => {
      isOver = true;
    });
    // A listed server may be deleted a moment later: then the list is read again.
    while (!isOver) expect((await isAnyResponding()) || (await isAnyResponding()) || (await isAnyResponding())).toBe(true);
    await rollout;
  });

  proof(2, "an image that cannot be pulled is reported, and running servers are left unchanged", async () => {
    const pids = async () => {
      const servers = await listServers(client, "cache", 12_000);
      const results = await Promise.allSettled(servers.map((server) => readStats(server)));
      return new Set(results.flatMap((each) => (each.status === "fulfilled" ? [each.value.get("pid")] : [])));
    };
    const before = await pids();
    await change({ image: "example.invalid/memcached:9" });
    const isImagePullFailing = (object: Memcached) =>
      /^(ErrImagePull|ImagePullBackOff)$/.test(findCondition(object, "Progressing")?.reason ?? "");
    const object = await client.waitFor(Memcached, ref, isImagePullFailing, WAIT_OPTIONS);
    expect(findCondition(object, "Available")).toMatchObject({ status: "True" });
    expect(await pids()).toEqual(before);
    await change({ image: "memcached:1.6.41" });
    await waitUntilDone(ref);
    expect(await pids()).toEqual(before);
  });

  proof(2, "a restarted operator resumes an interrupted rollout", async () => {
    await change({ image: "memcached:1.6.42" });
    await operator.stop();
    operator = await restartOperator();
    await waitUntilDone(ref);
    expect((await listPods(client, "cache")).map(({ spec }) => spec.containers[0]?.image)).toEqual([
      "memcached:1.6.42",
      "memcached:1.6.42",
    ]);
  });

  proof(3, "status.nodes lists the pods after scaling from one to three to one", async () => {
    for (const size of [1, 3, 1]) {
      await client.scale.patch(Memcached, ref, { merge: { spec: { replicas: size } } });
      const { status } = await client.waitFor(Memcached, ref, (object) => object.spec.size === size && isDone(object), WAIT_OPTIONS);
      expect(status?.nodes).toEqual((await listPods(client, "cache")).map(({ metadata }) => metadata.name).sort());
    }
  });

  proof(3, "a killed server restarts and is unavailable meanwhile", async () => {
    await waitUntilDone(ref);
    const [pod] = await listPods(client, "cache");
    await using seen = recordConditions(client, ref.name);
    await vi.waitFor(() => expect(seen.all).toContain("Available True"), WAIT_OPTIONS);
    environment.node.faults.kill({ namespace, pod: pod!.metadata.name });
    await vi.waitFor(() => expect(seen.all).toContain("Available False"), WAIT_OPTIONS);
    await waitUntilDone(ref);
    const [back] = await listPods(client, "cache");
    expect(back?.status.containerStatuses?.[0]?.restartCount).toBe(1);
    for (const server of await listServers(client, "cache", 12_000)) await isResponding(server);
  });

  proof(3, "all servers restart after all are killed, and the Available condition reports the outage", async () => {
    await change({ size: 3 });
    await waitUntilDone(ref);
    await using seen = recordConditions(client, ref.name);
    await vi.waitFor(() => expect(seen.all).toContain("Available True"), WAIT_OPTIONS);
    for (const { metadata } of await listPods(client, "cache")) environment.node.faults.kill({ namespace, pod: metadata.name });
    await vi.waitFor(() => expect(seen.all).toContain("Available False"), WAIT_OPTIONS);
    await waitUntilDone(ref);
    for (const server of await listServers(client, "cache", 12_000)) await isResponding(server);
  });

  proof(3, "pods have probes and resources, and a PodDisruptionBudget exists", async () => {
    const [container] = (await client.get(Deployment, ref)).spec.template.spec!.containers;
    expect(container).toMatchObject({ readinessProbe: {}, livenessProbe: {}, resources: { requests: {}, limits: {} } });
    const { spec } = await client.get(PodDisruptionBudget, ref);
    expect(spec).toEqual({ maxUnavailable: 1, selector: { matchLabels: { [LABEL]: "cache" } } });
  });

  const scrape = () => parseScrape(operator.metrics.render());
  const readCacheSamples = (metric: string) => [...(scrape().get(metric) ?? [])].filter(([labels]) => labels.includes('memcached="cache"'));
  const alert = (name: string) => readRules(ALERTS).find((rule) => rule.alert === name)!;
  const reasonsOfEvents = async () =>
    (await client.list(Event, { namespace })).items.filter(({ regarding }) => regarding?.name === "cache").map(({ reason }) => reason);

  proof(4, "the operator exports metrics of its own and of every server, and they change with load", async () => {
    await change({ size: 2, autopilot: { min: 2, max: 3 } });
    await waitUntilDone(ref);
    await vi.waitFor(() => expect(readCacheSamples("memcached_up").map(([, up]) => up)).toEqual([1, 1]), WAIT_OPTIONS);
    expect(scrape().get("controller_runtime_reconcile_total")?.size).toBeGreaterThan(0);
    const sum = (metric: string) => readCacheSamples(metric).reduce((all, [, value]) => all + value, 0);
    const [before, getsBefore] = [sum("memcached_items"), sum("memcached_gets_total")];
    for (const server of await listServers(client, "cache", 12_000)) {
      await setItem(server, "insight", "deep");
      await getItem(server, "insight");
    }
    await vi.waitFor(
      () => expect([sum("memcached_items"), sum("memcached_gets_total")]).toEqual([before + 2, getsBefore + 2]),
      WAIT_OPTIONS,
    );
  });

  proof(4, "every alert has a severity, an existing runbook and an expression over exported metrics, and none fires", async () => {
    const now = scrape();
    for (const rule of readRules(ALERTS)) {
      expect(["critical", "warning"]).toContain(rule.severity);
      expect(existsSync(PROJECT + rule.runbook), rule.runbook).toBe(true);
      expect(isFiring(rule, now, now), rule.alert).toBe(false);
    }
  });

  let victim = "";
  proof(4, "an alert fires when a server hangs", async () => {
    victim = (await listPods(client, "cache"))[0]!.metadata.name;
    environment.node.faults.pause({ namespace, pod: victim });
    await vi.waitFor(() => expect(isFiring(alert("MemcachedDown"), scrape(), new Map())).toBe(true), { ...WAIT_OPTIONS, interval: 100 });
  });

  proof(5, "a server that hangs is replaced without manual action", async () => {
    const { generation } = (await client.get(Memcached, ref)).metadata;
    const isReplaced = (object: Memcached) => isDone(object) && object.status?.nodes?.includes(victim) === false;
    const { metadata } = await client.waitFor(Memcached, ref, isReplaced, WAIT_OPTIONS);
    expect(metadata.generation).toBe(generation);
    await vi.waitFor(() => expect(isFiring(alert("MemcachedDown"), scrape(), new Map())).toBe(false), WAIT_OPTIONS);
    for (const server of await listServers(client, "cache", 12_000)) await isResponding(server);
  });

  proof(5, "it scales up when servers are full and down when they are empty, without manual action", async () => {
    const full = await listServers(client, "cache", 12_000);
    for (const server of full) await setItems(server, ITEMS);
    const hasSize = (size: number) => (object: Memcached) => object.spec.size === size && isDone(object);
    await client.waitFor(Memcached, ref, hasSize(3), WAIT_OPTIONS);
    const servers = await listServers(client, "cache", 12_000);
    for (const server of servers) await deleteItems(server, ITEMS);
    await client.waitFor(Memcached, ref, hasSize(2), WAIT_OPTIONS);
  });

  proof(5, "the size does not oscillate during a steady hour, at any fill level", async () => {
    const everyFiveSeconds = 720;
    for (let percent = 0; percent <= 900; percent += 5) {
      let size = 1;
      let changes = 0;
      let up = 0;
      for (let checkProperties = 0; checkProperties < everyFiveSeconds; checkProperties++) {
        // The same amount is stored at any size, as far as it fits.
        const servers = Array.from({ length: size }, (_, i) => ({ name: `${i}`, usedRatio: Math.min(percent / 100 / size, 1) }));
        const next = decideSize({ min: 1, max: 9 }, size, servers);
        if (next > size) up++;
        if (next !== size) changes++;
        size = next;
      }
      expect(changes, `${percent} % of one server`).toBe(up);
    }
  });

  proof(4, "actions are reported by a bounded number of Events", async () => {
    const reasons = await reasonsOfEvents();
    expect(reasons).toEqual(expect.arrayContaining(["Replaced", "Scaled"]));
    expect(reasons.length).toBeLessThan(20);
  });

  proof(1, "deletion removes every child object", async () => {
    const servers = [...(await listServers(client, "cache", 12_000)), ...(await listServers(client, "kept", PORT))];
    for (const each of [ref, keptRef]) await client.delete(Memcached, each);
    for (const each of [ref, keptRef]) await client.waitForDeletion(Memcached, each, WAIT_OPTIONS);
    const listRemaining = async () => {
      const lists = await Promise.all([Pod, Deployment, ReplicaSet].map((kind) => client.list(kind, { namespace })));
      return lists.reduce((sum, { items }) => sum + items.length, 0);
    };
    await vi.waitFor(async () => expect(await listRemaining()).toBe(0), WAIT_OPTIONS);
    await Promise.all(servers.map((server) => expect(readStats(server)).rejects.toThrow()));
  });

  test("reaches the expected level", () => {
    const { reached, text } = levelCheck.verdict();
    console.log(text);
    expect(reached).toBe(5);
  });
});
