import type { Client } from "pintle/client";
import { Deployment } from "pintle/kinds/apps/v1";
import { Job } from "pintle/kinds/batch/v1";
import { ConfigMap, Namespace, Node, PersistentVolumeClaim, Pod, Secret, Service } from "pintle/kinds/core/v1";
import { expect } from "vitest";
import type { Check } from "./start-guide.ts";

/** The checks of docs/controllers.md about children. */
export const childrenChecks: { readonly [id: string]: Check } = {
  "controllers.md#return-children": async ({ snippet: { web }, start, create, find, change, remove, cluster }) => {
    await start(web);
    await create(web.kind, "shop", { spec: { image: "shop:1", exposed: true } });
    expect((await find(Deployment, "shop")).metadata.ownerReferences).toMatchObject([{ kind: "Web", controller: true }]);
    expect(await find(Service, "shop")).toBeDefined();
    await change(Deployment, "shop", { spec: { replicas: 5 } });
    expect((await find(Deployment, "shop")).spec.replicas).toBe(1);
    cluster.journal.clear();
    await change(web.kind, "shop", { metadata: { labels: { a: "b" } } });
    expect(cluster.journal.matching({ verb: "patch", resource: "deployments" })).toEqual([]);
    await change(web.kind, "shop", { spec: { exposed: false } });
    expect(await find(Service, "shop")).toBeUndefined();
    await remove(web.kind, "shop");
    expect(await find(Deployment, "shop")).toBeUndefined();
  },
  "controllers.md#use-types-of-the-built-in-kinds-in-a-spec": async ({ snippet: { app }, start, create, find, condition }) => {
    await start(app);
    const main = { name: "main", image: "a", ports: [{ containerPort: 80 }] };
    const withContainer = (container: object, more: object = {}) => ({
      spec: { template: { spec: { containers: [container], ...more } } },
    });
    const stored = await create(app.kind, "a", { spec: { ...withContainer(main).spec, resources: { limits: { cpu: "500m" } } } });
    expect(stored.spec.template.spec.containers[0].ports).toEqual([{ containerPort: 80, protocol: "TCP" }]);
    expect((await find(Deployment, "a")).spec.template.spec.containers).toMatchObject([
      { name: "main", resources: { limits: { cpu: "500m" } } },
    ]);
    const rejected = [{ image: "a" }, { ...main, resources: { limits: { cpu: "much" } } }, { ...main, imagePullPolicy: "Sometimes" }];
    for (const container of rejected)
      await expect(create(app.kind, "b", withContainer(container))).rejects.toThrow(/Invalid|invalid|Required/);
    const volumes = [{ name: "v" }, { name: "v" }];
    await expect(create(app.kind, "c", withContainer(main, { volumes }))).rejects.toThrow(/Duplicate/);
    await create(app.kind, "d", withContainer({ ...main, volumeMounts: [{ name: "missing", mountPath: "/m" }] }));
    expect(await condition(app.kind, "d", "Ready")).toMatch(/^False .*missing/);
    expect(JSON.stringify(app.kind.crd()).length).toBeLessThan(75_000);
  },
  "controllers.md#several-children-of-a-kind": async ({ snippet: { shards }, start, create, find, change }) => {
    await start(shards);
    await create(shards.kind, "a", { spec: { count: 3 } });
    expect((await find(shards.kind, "a")).status.existing).toEqual(["a-0", "a-1", "a-2"]);
    await change(shards.kind, "a", { spec: { count: 1 } });
    expect((await find(shards.kind, "a")).status.existing).toEqual(["a-0"]);
    expect(await find(ConfigMap, "a-2")).toBeUndefined();
  },
  "controllers.md#apply-children-in-an-order": async ({ snippet: { shop }, start, create, find, change, cluster, client, lines }) => {
    const image = async () => (await find(Deployment, "a"))?.spec.template.spec.containers[0].image;
    await start(shop);
    await create(shop.kind, "a", { spec: { version: "1" } });
    expect(await image()).toBe("shop:1");
    await cordon(client, true);
    await change(shop.kind, "a", { spec: { version: "2", replicas: 3 } });
    expect(await image()).toBe("shop:1");
    expect((await find(Deployment, "a")).spec.replicas).toBe(3);
    expect(JSON.stringify(lines)).toContain("waits for Job default/a-migrate-2");
    await failJob(client, "a-migrate-2");
    await cluster.settled();
    expect(await image()).toBe("shop:1");
    await cordon(client, false);
    await change(shop.kind, "a", { spec: { version: "3" } });
    expect(await image()).toBe("shop:3");
  },
  "controllers.md#write-a-child-once": async ({ snippet: { database }, start, create, find, change, remove }) => {
    await start(database);
    await create(database.kind, "a", { spec: { user: "ada" } });
    const first = (await find(Secret, "a-password")).data;
    await change(database.kind, "a", { spec: { user: "grace" } });
    expect((await find(Secret, "a-password")).data).toEqual(first);
    await remove(Secret, "a-password");
    const second = (await find(Secret, "a-password")).data;
    expect(second.password).not.toBe(first.password);
    expect(Buffer.from(second.user, "base64").toString()).toBe("grace");
  },
  "controllers.md#keep-a-history-of-runs": async ({ snippet: { backup }, start, create, find, client, cluster, remove }) => {
    await start(backup);
    await create(backup.kind, "a", { spec: { image: "backup:1", everyHours: 1 } });
    const at = Date.parse("2026-01-01T00:00:00Z") / 3_600_000;
    const names = async () => (await client.list(Job, { namespace: "default" })).items.map(({ metadata }) => metadata.name).sort();
    expect(await names()).toEqual([`a-${at}`]);
    await cordon(client, true);
    await cluster.advance(3_600_000);
    const pods = (await client.list(Pod, { namespace: "default", labels: { "job-name": `a-${at + 1}` } })).items;
    const annotations = { "node.pintle.dev/behaviour": "fail" };
    for (const { metadata } of pods) await client.patch(Pod, metadata as never, { merge: { metadata: { annotations } } });
    await cordon(client, false);
    await cluster.advance(4 * 3_600_000);
    await cluster.settled();
    expect(await names()).toEqual([1, 3, 4, 5].map((hour) => `a-${at + hour}`));
    expect((await find(backup.kind, "a")).status).toMatchObject({ lastRun: "2026-01-01T05:00:00.000Z", failed: 1 });
    await remove(backup.kind, "a");
    expect(await names()).toEqual([]);
  },
  "controllers.md#keep-a-child": async ({ snippet: { store }, start, create, find, change, remove }) => {
    await start(store);
    await create(store.kind, "a", { spec: { size: "1Gi" } });
    const { uid, ownerReferences, labels } = (await find(PersistentVolumeClaim, "a-data")).metadata;
    expect(ownerReferences).toBeUndefined();
    expect(labels["pintle.dev/owner"]).toBe((await find(store.kind, "a")).metadata.uid);
    await remove(store.kind, "a");
    expect(await find(PersistentVolumeClaim, "a-scratch")).toBeDefined();
    await create(store.kind, "a", { spec: { size: "1Gi", scratch: false } });
    expect((await find(PersistentVolumeClaim, "a-data")).metadata).toMatchObject({
      uid,
      labels: { "pintle.dev/owner": (await find(store.kind, "a")).metadata.uid },
    });
    await change(store.kind, "a", { spec: { scratch: true } });
    await change(store.kind, "a", { spec: { scratch: false } });
    expect(await find(PersistentVolumeClaim, "a-scratch")).toBeUndefined();
  },
  "controllers.md#children-in-other-namespaces": async ({ snippet: { notice }, start, create, find, change, remove, client }) => {
    await client.create(Namespace, { metadata: { name: "east" } });
    await client.create(Namespace, { metadata: { name: "west" } });
    await start(notice);
    await create(notice.kind, "a", { spec: { text: "closed", namespaces: ["east", "west"] } });
    expect((await find(notice.kind, "a")).metadata.finalizers).toEqual(["pintle.dev/notice"]);
    expect((await find(ConfigMap, "notice-a", "east")).data.text).toBe("closed");
    await change(notice.kind, "a", { spec: { namespaces: ["west"] } });
    expect(await find(ConfigMap, "notice-a", "east")).toBeUndefined();
    await remove(notice.kind, "a");
    expect(await find(ConfigMap, "notice-a", "west")).toBeUndefined();
    expect(await find(notice.kind, "a")).toBeUndefined();
  },
  "controllers.md#stop-owning-a-kind": async ({ snippet: { login }, start, create, find, cluster }) => {
    const { controller } = await import("pintle");
    const first = controller(login.kind, {
      owns: [ConfigMap],
      reconcile: ({ object, want }: any) => want({ children: { user: ConfigMap.desired({ metadata: { name: object.metadata.name } }) } }),
    });
    const old = await start(first);
    await create(login.kind, "a", { spec: { user: "ada" } });
    await create(ConfigMap, "mine", {});
    await old.stop();
    await start(login);
    await cluster.settled();
    expect(await find(ConfigMap, "a")).toBeUndefined();
    expect(await find(ConfigMap, "mine")).toBeDefined();
    expect(await find(Secret, "a")).toBeDefined();
  },
};

/** While all nodes are unschedulable, no Job completes. */
async function cordon(client: Client, unschedulable: boolean): Promise<void> {
  for (const { metadata } of (await client.list(Node)).items) await client.patch(Node, metadata, { merge: { spec: { unschedulable } } });
}

/** Sets the status of a Job that has failed. */
async function failJob(client: Client, name: string): Promise<void> {
  const at = "2026-01-01T00:00:00Z";
  const conditions = ["FailureTarget", "Failed"].map((type) => ({
    type,
    status: "True",
    reason: "BackoffLimitExceeded",
    lastTransitionTime: at,
  }));
  await client.status.patch(Job, { name, namespace: "default" }, { merge: { status: { startTime: at, active: 0, ready: 0, conditions } } });
}
