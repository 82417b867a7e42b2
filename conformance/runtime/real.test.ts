import { allow, controller, createLogger, defineResource, optionalKind, startManager, z } from "pintle";
import { type Client, Conflict, connect } from "pintle/client";
import { systemClock } from "pintle/internal/clock";
import { derivePermissions } from "pintle/internal/manager";
import { metadataOnly } from "pintle/kinds";
import { CustomResourceDefinition } from "pintle/kinds/apiextensions/v1";
import { Deployment } from "pintle/kinds/apps/v1";
import { ConfigMap, Pod, ServiceAccount } from "pintle/kinds/core/v1";
import { Event } from "pintle/kinds/events/v1";
import { PodDisruptionBudget } from "pintle/kinds/policy/v1";
import { ClusterRole, ClusterRoleBinding } from "pintle/kinds/rbac/v1";
import { afterAll, beforeAll, describe, test } from "vitest";
import { type ControlPlane, startControlPlane } from "../real/index.ts";
import { waitUntil } from "./replica-group.ts";
import { recordRequests } from "./request-log.ts";
import { install } from "./servers.ts";

let plane: ControlPlane;
let client: Client;
beforeAll(async () => {
  plane = await startControlPlane();
  client = await connect({ kubeconfig: plane.kubeconfig, onWarning: () => {} });
  await install(client, Note);
  // The controller manager would create it.
  await client.create(ServiceAccount, { metadata: at("default") });
});
afterAll(async () => {
  await client?.close();
  await plane?.stop();
});

const resource = (kind: string) =>
  defineResource({
    group: "real.example.com",
    version: "v1",
    kind,
    spec: z.object({ text: z.string().default("") }),
    status: z.object({ length: z.int() }),
  });
const Note = resource("Note");
const at = (name: string) => ({ name, namespace: "default" });

function createRecordingLogger() {
  const lines: any[] = [];
  return { lines, logger: createLogger({ clock: systemClock, level: "debug", write: (line) => lines.push(JSON.parse(line)) }) };
}
const podNamed = (name: string, labels: Record<string, string> = {}) => ({
  metadata: { ...at(name), labels },
  spec: { automountServiceAccountToken: false, containers: [{ name: "main", image: "example.com/none" }] },
});

describe.concurrent("on a real kube-apiserver", () => {
  test("RT-31 Events are written with the derived RBAC rules, repeated ones as a series, with annotations", async ({ expect }) => {
    const op = controller(Note, {
      name: "announcer",
      when: (_, now) => now?.metadata.name === "announced",
      reconcile: ({ event }) => event("Seen", "again and again", { type: "Warning", annotations: { "example.com/why": "because" } }),
    });
    const { watchedNamespaces } = derivePermissions([op]);
    const user = "announcer";
    await client.apply(ClusterRole, { metadata: { name: user }, rules: watchedNamespaces } as never, { force: true });
    const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: user };
    const subjects = [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: user }];
    await client.apply(ClusterRoleBinding, { metadata: { name: user }, roleRef, subjects }, { force: true });
    const ownClient = await connect({ kubeconfig: plane.kubeconfig, impersonate: { user }, onWarning: () => {} });
    const { logger, lines } = createRecordingLogger();
    const manager = startManager({ controllers: [op], client: ownClient, logger });
    await manager.ready;
    for (let i = 0; i < 3; i++) {
      await client.apply(Note, { metadata: at("announced"), spec: { text: String(i) } });
      await waitUntil("a run", () => lines.filter((line) => line.message === "Reconciled").length > i);
    }
    await manager.stop();
    await ownClient.close();
    expect(lines.filter((line) => ["warn", "error"].includes(line.level))).toEqual([]);
    const { items } = await client.list(Event, { namespace: "default" });
    const about = items.filter(({ regarding }) => regarding?.name === "announced");
    expect(about).toHaveLength(1);
    expect(about[0]).toMatchObject({
      reason: "Seen",
      type: "Warning",
      note: "again and again",
      reportingController: "announcer",
      series: { count: 3 },
      metadata: { annotations: { "example.com/why": "because" } },
    });
  });

  test("RT-22 the client supports apply with field manager and force, patches with and without optimistic lock, dry run, status, scale, eviction, metadata only", async ({
    expect,
  }) => {
    const first = await client.apply(ConfigMap, { metadata: at("verbs"), data: { a: "1" } }, { fieldManager: "one" });
    const contested = client.apply(ConfigMap, { metadata: at("verbs"), data: { a: "2" } }, { fieldManager: "two" });
    await expect(contested).rejects.toThrow(Conflict);
    const forced = await client.apply(ConfigMap, { metadata: at("verbs"), data: { a: "2" } }, { fieldManager: "two", force: true });
    expect(forced.data).toEqual({ a: "2" });

    const patchWithVersion = (resourceVersion: string) =>
      client.patch(ConfigMap, at("verbs"), { merge: { metadata: { resourceVersion }, data: { b: "1" } } });
    await expect(patchWithVersion(first.metadata.resourceVersion)).rejects.toThrow(Conflict);
    expect((await patchWithVersion(forced.metadata.resourceVersion)).data).toEqual({ a: "2", b: "1" });
    await client.patch(ConfigMap, at("verbs"), { merge: { data: { b: null } } });
    await client.patch(ConfigMap, at("verbs"), { merge: { data: { a: "dry" } } }, { dryRun: true });
    expect((await client.get(ConfigMap, at("verbs"))).data).toEqual({ a: "2" });
    expect(await client.get(metadataOnly(ConfigMap), at("verbs"))).not.toHaveProperty("data");

    await client.apply(Note, { metadata: at("verbs"), spec: {} });
    const noted = await client.status.apply(Note, { metadata: at("verbs"), status: { length: 7 } }, { fieldManager: "two", force: true });
    expect(noted.status).toEqual({ length: 7 });

    const template = { metadata: { labels: { app: "verbs" } }, spec: podNamed("x").spec };
    const spec = { replicas: 1, selector: { matchLabels: { app: "verbs" } }, template };
    await client.create(Deployment, { metadata: at("verbs"), spec });
    expect((await client.scale.patch(Deployment, at("verbs"), { merge: { spec: { replicas: 4 } } })).spec?.replicas).toBe(4);

    await client.create(Pod, podNamed("evicted"));
    await client.create(PodDisruptionBudget, { metadata: at("verbs"), spec: { maxUnavailable: 0, selector: { matchLabels: { x: "y" } } } });
    await client.evict(Pod, at("evicted"));
    await client.waitForDeletion(Pod, at("evicted"), { timeout: 20_000 });

    const events: string[] = [];
    const abort = new AbortController();
    for await (const event of client.watch(metadataOnly(ConfigMap), {
      namespace: "default",
      fields: "metadata.name=verbs",
      signal: abort.signal,
    })) {
      events.push(`${event.type} ${"data" in event.object}`);
      break;
    }
    expect(events).toEqual(["ADDED false"]);
  });

  test("a built-in kind as primary: its condition is written once, and other status fields keep their owner", async ({ expect }) => {
    const op = controller(Pod, {
      name: "gatekeeper",
      when: (_, now) => now?.metadata.labels?.["gate"] === "yes",
      reconcile: ({ object, want }) =>
        want({ conditions: { "example.com/Gate": { status: object.metadata.labels?.["open"] === "yes", reason: "Label" } } }),
    });
    const begin = async () => {
      const { client: counting, requests } = recordRequests(await connect({ kubeconfig: plane.kubeconfig, onWarning: () => {} }));
      const { logger, lines } = createRecordingLogger();
      const manager = startManager({ controllers: [op], client: counting, logger, namespaces: ["default"] });
      await manager.ready;
      return { manager, requests, lines };
    };
    const first = await begin();
    await client.create(Pod, podNamed("gated", { gate: "yes" }));
    const gate = (pod: Pod) => pod.status.conditions?.find(({ type }) => type === "example.com/Gate");
    const closed = await client.waitFor(Pod, at("gated"), (pod) => gate(pod)?.status === "False", { timeout: 20_000 });
    // As a kubelet does.
    await client.status.patch(Pod, at("gated"), {
      merge: { status: { phase: "Running", podIP: "10.0.0.7", conditions: [...closed.status.conditions!, ready] } },
    });
    await client.patch(Pod, at("gated"), { merge: { metadata: { labels: { open: "yes" } } } });
    const open = await client.waitFor(Pod, at("gated"), (pod) => gate(pod)?.status === "True", { timeout: 20_000 });
    expect(open.status).toMatchObject({ phase: "Running", podIP: "10.0.0.7" });
    expect(open.status.conditions?.map(({ type }) => type).sort()).toEqual(["Ready", "example.com/Gate"]);
    const owners = open.metadata.managedFields?.filter((each) => each.manager === "gatekeeper.conditions");
    expect(JSON.stringify(owners)).not.toContain("f:phase");
    expect(first.requests.filter((line) => line.startsWith("status apply"))).toHaveLength(2);
    await first.manager.stop();

    const second = await begin();
    await waitUntil("a run", () => second.lines.some((line) => line.message === "Reconciled"));
    expect(second.requests).toEqual([]);
    await second.manager.stop();
  });
  const ready = { type: "Ready", status: "True", lastProbeTime: null, lastTransitionTime: "2026-01-01T00:00:00Z" };

  test("RT-33, RT-38, RT-70 kinds that are not installed yet are reported, awaited, and reconciled without a restart", async ({
    expect,
  }) => {
    const [Late, Extra] = [resource("Late"), resource("Extra")];
    const op = controller(Late, {
      name: "late",
      owns: [optionalKind(Extra), ConfigMap],
      reconcile: ({ object, want }) =>
        want({
          children: {
            extra: Extra.desired({ metadata: { name: object.metadata.name }, spec: {} }),
            map: ConfigMap.desired({ metadata: { name: object.metadata.name } }),
          },
        }),
    });
    const { logger, lines } = createRecordingLogger();
    const ownClient = await connect({ kubeconfig: plane.kubeconfig, onWarning: () => {} });
    const manager = startManager({ controllers: [op], client: ownClient, logger });
    await waitUntil("the message", () =>
      lines.some(({ message }) =>
        /Late: the API server does not serve lates\.real\.example\.com in real\.example\.com\/v1: is its CRD/.test(message),
      ),
    );
    await install(client, Late);
    await manager.ready;
    await client.create(Late, { metadata: at("late"), spec: {} });
    await client.waitFor(ConfigMap, at("late"), () => true, { timeout: 20_000 });
    await install(client, Extra);
    await client.waitFor(Extra, at("late"), () => true, { timeout: 60_000 });
    // The CRD is deleted again: nothing fails.
    await client.delete(CustomResourceDefinition, { name: "extras.real.example.com" });
    await waitUntil("the watch to notice", () => lines.some(({ message }) => /Extra: the API server does not serve/.test(message)), 60_000);
    expect(lines.filter(({ level }) => level === "error")).toEqual([]);
    await manager.stop();
    await ownClient.close();
  });

  test("imperative mode on a real server: the next pass reads the writes of the previous one, before the watch delivers them", async ({
    expect,
  }) => {
    const looks: number[] = [];
    const op = controller(Note, {
      name: "imperative",
      when: (_, now) => now?.metadata.name === "imperative",
      owns: [ConfigMap],
      needs: [allow(ConfigMap, "create")],
      async reconcile({ object, owned, client }) {
        const { name, namespace, uid } = object.metadata;
        const have = owned(ConfigMap).list().length;
        looks.push(have);
        if (have >= 5) return;
        const ownerReferences = [{ apiVersion: object.apiVersion, kind: object.kind, name, uid, controller: true }];
        await client.create(ConfigMap, { metadata: { generateName: "made-", namespace, ownerReferences } });
      },
    });
    const ownClient = await connect({ kubeconfig: plane.kubeconfig, onWarning: () => {} });
    const { logger, lines } = createRecordingLogger();
    const manager = startManager({ controllers: [op], client: ownClient, logger });
    await manager.ready;
    await client.create(Note, { metadata: at("imperative"), spec: {} });
    await waitUntil("five of them", () => looks.includes(5));
    expect(looks.slice(0, 6)).toEqual([0, 1, 2, 3, 4, 5]);
    expect(lines.filter(({ level }) => level === "error")).toEqual([]);
    await manager.stop();
    await ownClient.close();
    const { items } = await client.list(ConfigMap, { namespace: "default" });
    expect(items.filter(({ metadata }) => metadata.name.startsWith("made-"))).toHaveLength(5);
  });
});
