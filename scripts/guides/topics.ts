import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Deployment } from "pintle/kinds/apps/v1";
import { ConfigMap, Namespace, Pod, Secret } from "pintle/kinds/core/v1";
import { expect, vi } from "vitest";
import type { Check } from "./start-guide.ts";

const pod = { spec: { containers: [{ name: "main", image: "a" }] } };

/** The checks of the pages in docs/guides. */
export const topicChecks: { readonly [id: string]: Check } = {
  "guides/finalizers.md#finalizers": async ({ snippet: { bucket }, start, create, find, remove }) => {
    const calls: string[] = [];
    vi.stubGlobal("storage", {
      ensure: async (name: string) => void calls.push(`ensure ${name}`),
      remove: async (name: string) => void calls.push(`remove ${name}`),
    });
    await start(bucket);
    const { metadata } = await create(bucket.kind, "a", { spec: { region: "eu" } });
    await remove(bucket.kind, "a");
    expect(calls).toEqual([`ensure ${metadata.uid}`, `remove ${metadata.uid}`]);
    expect(await find(bucket.kind, "a")).toBeUndefined();
  },
  "guides/why.md#why-an-object-changed": async ({ snippet: { explainReadiness } }) => {
    const text = await explainReadiness();
    const writers = [...text.matchAll(/^ *(?:r\d+ wrote (\w+)\/default\/web|by ([^,:]+))/gm)].map(([, object, writer]) => object ?? writer);
    expect(writers.slice(0, 4)).toEqual(["deployments", "deployment-controller", "replicasets", "replicaset-controller"]);
    expect(writers).toEqual(expect.arrayContaining(["pods", "kubelet node-1", "scheduler"]));
    expect(text).toMatch(/^r\d+ wrote deployments\/default\/web: .*\.status\.readyReplicas unset -> 1/);
    expect(text).toMatch(/r\d+ wrote deployments\/default\/web\n +by kubernetes-admin \(pintle\): create/);
  },
  "guides/requeue.md#retries-and-requeues": async ({ snippet: { check }, start, create, condition, cluster }) => {
    const responses = [true, false];
    vi.stubGlobal("fetch", async () => ({ ok: responses.shift() ?? false }));
    await start(check);
    await create(check.kind, "wrong", { spec: { url: "nothing" } });
    expect(await condition(check.kind, "wrong", "Stalled")).toContain("not a URL: nothing");
    vi.stubGlobal("fetch", async () => ({ ok: true }));
    await create(check.kind, "a", { spec: { url: "http://a.example" } });
    expect(await condition(check.kind, "a", "Reachable")).toBe("True Responds: ");
    vi.stubGlobal("fetch", async () => ({ ok: false }));
    await cluster.advance(61_000);
    expect(await condition(check.kind, "a", "Reachable")).toBe("False Fails: ");
  },
  "guides/ownership.md#ownership": async ({ snippet: { site }, start, create, find, change, client }) => {
    await client.create(Namespace, { metadata: { name: "shared" } });
    await start(site);
    const { metadata } = await create(site.kind, "a", { spec: { title: "one", shared: true } });
    expect((await find(ConfigMap, "a")).metadata.ownerReferences).toMatchObject([{ uid: metadata.uid, blockOwnerDeletion: true }]);
    expect((await find(ConfigMap, "a", "shared")).metadata).toMatchObject({
      labels: { "pintle.dev/owner": metadata.uid },
      annotations: { "pintle.dev/owned-by": "default/a" },
    });
    await change(site.kind, "a", { spec: { shared: false } });
    expect(await find(ConfigMap, "a", "shared")).toBeUndefined();
  },
  "guides/conditions.md#status-and-conditions": async ({ snippet: { app }, start, create, find, condition, cluster }) => {
    await start(app);
    await create(app.kind, "a", { spec: { image: "a" } });
    await cluster.advance(60_000);
    expect(await find(Deployment, "a")).toBeDefined();
    expect(await condition(app.kind, "a", "Available")).toBe("True PodsReady: ");
    expect((await find(app.kind, "a")).status).toMatchObject({ readyReplicas: 1, observedGeneration: 1 });
  },
  "guides/leader-election.md#leader-election": async ({ snippet: { start } }) => {
    // run() is the entry point of a program; packages/pintle/test/manager.test.ts tests leader election with several managers.
    expect(start).toBeTypeOf("function");
  },
  "guides/cache.md#the-cache": async ({ snippet: { site }, start, create, find, change }) => {
    await start(site);
    await create(site.kind, "a", { spec: { secret: "s" } });
    expect((await find(ConfigMap, "a")).data.secretVersion).toBe("");
    await create(Secret, "s", {});
    await change(Secret, "s", { stringData: { a: "1" } });
    expect((await find(ConfigMap, "a")).data.secretVersion).toBe((await find(Secret, "s")).metadata.resourceVersion);
  },
  "guides/watches.md#watches-and-references": async ({ snippet: { tenant }, start, create, find, client }) => {
    await client.create(Namespace, { metadata: { name: "other" } });
    await start(tenant);
    await create(tenant.kind, "a", { spec: { secret: { name: "s", namespace: "other" }, tier: "gold" } });
    await create(Pod, "p", pod, { labels: { tier: "gold" } });
    await create(Pod, "p", pod, { namespace: "other", labels: { tier: "gold" } });
    expect((await find(tenant.kind, "a")).status.pods).toBe(2);
  },
  "guides/failures.md#failures": async ({ snippet: { invoice }, start, create, find, condition, cluster }) => {
    const billing = createServer((request, response) => {
      response.statusCode = request.url === "/poor" ? 402 : 200;
      response.end("text");
    });
    await new Promise<void>((resolve) => billing.listen(0, "127.0.0.1", resolve));
    const { port } = billing.address() as AddressInfo;
    const realFetch = fetch;
    vi.stubGlobal("fetch", (url: string, options: RequestInit) =>
      realFetch(url.replace("http://billing", `http://127.0.0.1:${url.endsWith("/gone") ? 9 : port}`), options),
    );
    try {
      await start(invoice);
      for (const customer of ["", "poor", "gone", "rich"]) await create(invoice.kind, `a${customer}`, { spec: { customer } });
      await cluster.settled();
      expect(await condition(invoice.kind, "a", "Stalled")).toContain("customer is empty");
      expect(await condition(invoice.kind, "apoor", "Fetched")).toBe("False Unpaid: ");
      expect(await condition(invoice.kind, "apoor", "Ready")).toBe(
        "False PaymentRequired: the customer has not paid (reported by controller invoice)",
      );
      expect(await condition(invoice.kind, "agone", "Ready")).toMatch(
        /^False BillingUnreachable: invoice: reconcile failed: could not reach billing: fetch failed/,
      );
      expect((await find(ConfigMap, "arich")).data.text).toBe("text");
      expect(await condition(invoice.kind, "arich", "Ready")).toBe("True Fetched: ");
    } finally {
      billing.closeAllConnections();
      billing.close();
    }
  },
};
