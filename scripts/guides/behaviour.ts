import { ConfigMap, Pod } from "pintle/kinds/core/v1";
import { Event as KubernetesEvent } from "pintle/kinds/events/v1";
import { Role } from "pintle/kinds/rbac/v1";
import { expect, vi } from "vitest";
import type { Check } from "./start-guide.ts";

const pod = { spec: { containers: [{ name: "main", image: "a" }] } };

/** The checks of docs/controllers.md about status, failures, time, systems outside, requests, and how a controller runs. */
export const behaviourChecks: { readonly [id: string]: Check } = {
  "controllers.md#report-status-and-conditions": async ({ snippet: { cache }, start, create, find, condition, cluster }) => {
    await start(cache);
    await create(cache.kind, "a", { spec: { size: 2 } });
    await cluster.advance(60_000);
    expect(await condition(cache.kind, "a", "Ready")).toBe("True Replicas: 2 of 2 ready");
    expect((await find(cache.kind, "a")).status).toMatchObject({ readyReplicas: 2, observedGeneration: 1 });
  },
  "controllers.md#fail-with-a-reason": async ({ snippet: { domain }, start, create, find, condition, cluster, client }) => {
    const cause = new TypeError("fetch failed", { cause: new Error("connect ECONNREFUSED 127.0.0.1:443") });
    const register = vi.fn(async () => ({ id: "7", isPaid: false }));
    vi.stubGlobal("registrar", { register });
    await start(domain);
    await create(domain.kind, "wrong", { spec: { name: "nothing" } });
    expect(await condition(domain.kind, "wrong", "Stalled")).toContain("nothing is not a domain name");
    expect(register).not.toHaveBeenCalled();
    await create(domain.kind, "unpaid", { spec: { name: "example.com" } });
    expect(await condition(domain.kind, "unpaid", "Registered")).toBe("True Registered: ");
    expect(await condition(domain.kind, "unpaid", "Ready")).toMatch(/^False Payment/);
    expect((await find(domain.kind, "unpaid")).status.id).toBe("7");
    register.mockRejectedValue(cause);
    await create(domain.kind, "down", { spec: { name: "example.org" } });
    await cluster.advance(10_000);
    const text = "could not reach the registrar: fetch failed: connect ECONNREFUSED 127.0.0.1:443";
    expect(await condition(domain.kind, "down", "Ready")).toBe(`False RegistrarUnreachable: domain: reconcile failed: ${text}`);
    const events = (await client.list(KubernetesEvent)).items.filter(({ regarding }) => regarding?.name === "down");
    expect(events.map(({ reason, type, note }) => [reason, type, note])).toEqual([
      ["RegistrarUnreachable", "Warning", expect.stringContaining(text)],
    ]);
    register.mockResolvedValue({ id: "8", isPaid: true });
    await cluster.advance(20_000);
    expect(await condition(domain.kind, "down", "Ready")).toBe("True Payment: ");
  },
  "controllers.md#record-events-and-log-lines": async ({ snippet: { door }, start, create, cluster, client, lines }) => {
    await start(door);
    await create(door.kind, "a", { spec: { open: true } });
    await cluster.settled();
    const events = (await client.list(KubernetesEvent, { namespace: "default" })).items.filter(
      ({ regarding }) => regarding?.kind === "Door",
    );
    expect(events).toMatchObject([{ reason: "Opened", type: "Warning", regarding: { name: "a" } }]);
    expect(lines.filter(({ message }) => message === "Moved the door")).toMatchObject([
      { controller: "door", open: true, because: ["added"] },
    ]);
  },
  "controllers.md#do-something-later": async ({ snippet: { certificate }, start, create, find, change, cluster }) => {
    await start(certificate);
    const serial = async () => (await find(certificate.kind, "a")).status.serial;
    await create(certificate.kind, "a", { spec: { validSeconds: 3600 } });
    expect(await serial()).toBe(1);
    await cluster.advance(1_800_000);
    await change(certificate.kind, "a", { metadata: { labels: { a: "b" } } });
    await cluster.advance(1_790_000);
    expect(await serial()).toBe(1);
    await cluster.advance(20_000);
    expect(await serial()).toBe(2);
  },
  "controllers.md#compare-with-the-current-time": async ({ snippet: { banner }, start, create, find, cluster }) => {
    await start(banner);
    await create(banner.kind, "a", { spec: { text: "sale", until: "2026-01-02T00:00:00Z" } });
    await cluster.advance(23 * 3_600_000);
    expect(await find(ConfigMap, "a")).toBeDefined();
    await cluster.advance(3_600_000);
    await cluster.settled();
    expect(await find(ConfigMap, "a")).toBeUndefined();
  },
  "controllers.md#clean-up-outside-the-cluster": async ({ snippet: { bucket }, start, create, find, remove, condition, cluster }) => {
    const calls: string[] = [];
    let left = 5;
    vi.stubGlobal("storage", {
      ensure: async () => void calls.push("ensure"),
      empty: async () => left,
      remove: async () => void calls.push("remove"),
    });
    await start(bucket);
    await create(bucket.kind, "a", { spec: { region: "eu" } });
    expect((await find(bucket.kind, "a")).metadata.finalizers).toEqual(["pintle.dev/bucket"]);
    await remove(bucket.kind, "a");
    expect(await condition(bucket.kind, "a", "Ready")).toBe("False Emptying: 5 objects left");
    left = 0;
    await cluster.advance(10_000);
    await cluster.settled();
    expect(await find(bucket.kind, "a")).toBeUndefined();
    expect(new Set(calls)).toEqual(new Set(["ensure", "remove"]));
  },
  "controllers.md#receive-events-from-outside": async ({ snippet: { invoice }, start, create, find, cluster }) => {
    const paid = new Set<string>();
    let pay: (name: string) => void = () => {};
    vi.stubGlobal("billing", {
      isPaid: async (name: string) => paid.has(name),
      async *payments(signal: AbortSignal) {
        while (!signal.aborted) {
          const name = await new Promise<string | undefined>((resolve) => {
            pay = resolve;
            signal.addEventListener("abort", () => resolve(undefined));
          });
          if (name !== undefined) yield { invoice: name };
        }
      },
    });
    await start(invoice);
    await create(invoice.kind, "a", { spec: {} });
    expect((await find(invoice.kind, "a")).status.paid).toBe(false);
    paid.add("a");
    pay("a");
    await cluster.settled();
    expect((await find(invoice.kind, "a")).status.paid).toBe(true);
  },
  "controllers.md#keep-something-running-for-each-object": async ({ snippet: { probe }, start, create, find, change, remove, cluster }) => {
    const hosts = new Map([["a.example", true]]);
    const pinged: string[] = [];
    vi.stubGlobal("ping", async (host: string) => {
      pinged.push(host);
      return hosts.get(host) ?? false;
    });
    await start(probe);
    await create(probe.kind, "a", { spec: { host: "a.example" } });
    expect((await find(probe.kind, "a")).status.isUp).toBe(true);
    await change(probe.kind, "a", { spec: { host: "b.example" } });
    await cluster.advance(10_000);
    await cluster.settled();
    expect((await find(probe.kind, "a")).status.isUp).toBe(false);
    await remove(probe.kind, "a");
    expect(await find(probe.kind, "a")).toBeUndefined();
    pinged.length = 0;
    await cluster.advance(60_000);
    expect(pinged).toEqual([]);
  },
  "controllers.md#send-requests": async ({ snippet: { restart }, start, create, find }) => {
    await create(Pod, "p", pod, { labels: { app: "web" } });
    await create(Pod, "other", pod);
    await start(restart);
    await create(restart.kind, "a", { spec: { app: "web" } });
    expect((await find(restart.kind, "a")).status.evicted).toBe(1);
    expect((await find(Pod, "p"))?.metadata.deletionTimestamp ?? "gone").toBeTruthy();
    expect((await find(Pod, "other")).metadata.deletionTimestamp).toBeUndefined();
  },
  "controllers.md#own-what-a-request-creates": async ({ snippet: { session }, start, create, find, remove, client, lines }) => {
    await start(session);
    await create(session.kind, "a", { spec: { image: "shell" } });
    const listPods = async () => (await client.list(Pod, { namespace: "default" })).items;
    const [found, ...others] = await listPods();
    expect(others).toEqual([]);
    expect(found?.metadata).toMatchObject({ generateName: "a-", ownerReferences: [{ kind: "Session", name: "a", controller: true }] });
    expect((await find(session.kind, "a")).status.pod).toBe(found?.metadata.name);
    expect(lines.map(({ plan }) => plan)).toContainEqual(
      expect.stringContaining(`create Pod default/${found?.metadata.name} (by reconcile)`),
    );
    await remove(Pod, found!.metadata.name);
    const [next] = await listPods();
    expect((await find(session.kind, "a")).status.pod).toBe(next?.metadata.name);
    await remove(session.kind, "a");
    expect(await listPods()).toEqual([]);
  },
  "controllers.md#create-roles": async ({ snippet: { access, rules }, start, create, find }) => {
    expect(rules).toContainEqual({ apiGroups: [""], resources: ["pods"], verbs: ["get", "list"] });
    await start(access);
    await create(access.kind, "a", { spec: {} });
    expect(await find(Role, "a")).toBeDefined();
  },
  "controllers.md#choose-the-events-that-count": async ({ snippet: { report }, start, create, find, change, lines }) => {
    await start(report);
    await create(report.kind, "a", { spec: { title: "one" } });
    lines.length = 0;
    await change(report.kind, "a", { metadata: { labels: { a: "b" } } });
    expect(lines.filter(({ message }) => message === "Reconciled")).toEqual([]);
    const pause = (value: string | null) => change(report.kind, "a", { metadata: { annotations: { "pintle.dev/paused": value } } });
    await pause("true");
    await change(report.kind, "a", { spec: { title: "skipped" } });
    await change(report.kind, "a", { spec: { title: "two" } });
    expect((await find(report.kind, "a")).status.titles).toEqual(["one"]);
    await pause(null);
    expect((await find(report.kind, "a")).status.titles).toEqual(["one", "two"]);
  },
  "controllers.md#concurrency-and-time-limits": async ({ snippet: { builds }, start, create, condition, cluster }) => {
    const running: string[] = [];
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    vi.stubGlobal("build", (name: string, signal: AbortSignal) => {
      running.push(name);
      const aborted = new Promise<void>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
      return name === "b" ? aborted : Promise.race([released, aborted]);
    });
    await start(builds);
    for (const name of ["a", "b", "c"]) await create(builds.kind, name, { spec: {} });
    expect(running).toEqual(["a", "b"]);
    release();
    await cluster.settled();
    expect(running).toEqual(["a", "b", "a", "c", "c"]);
    expect(await condition(builds.kind, "c", "Ready")).toBe("True Built: ");
    await cluster.advance(2 * 300_000 + 1_000);
    expect(await condition(builds.kind, "b", "Ready")).toBeUndefined();
    await cluster.advance(300_000);
    await cluster.settled();
    expect(await condition(builds.kind, "b", "Ready")).toContain("False ReconcileTimeout");
  },
  "controllers.md#metrics": async ({ snippet: { backup, metrics }, start, create }) => {
    await start(backup);
    await create(backup.kind, "a", { spec: {} });
    expect(metrics.render()).toContain('example_backups_total{namespace="default"} 1');
  },
};
