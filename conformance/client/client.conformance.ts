import {
  type Client,
  Conflict,
  type ConnectOptions,
  connect,
  hasCondition,
  INITIAL_EVENTS_END,
  Invalid,
  loadClusterAccess,
} from "pintle/client";
import { metadataOnly } from "pintle/kinds";
import { Deployment } from "pintle/kinds/apps/v1";
import { ConfigMap, Namespace, Node, Pod, Secret, ServiceAccount } from "pintle/kinds/core/v1";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { errorConformance } from "./errors.conformance.ts";
import { deployment, pod, WidgetDefinition, widgetDefinition } from "./objects.ts";

/** What a suite uses: a namespace of its own, and clients of the server under test. */
export interface SuiteContext {
  readonly namespace: string;
  readonly client: Client;
  readonly kubeconfig: string;
  open(options?: ConnectOptions): Promise<Client>;
}

/**
 * Tests every verb, patch type and error class against the server of a kubeconfig. The server must run the built-in
 * controllers for service accounts and disruption budgets.
 */
export function clientConformance(kubeconfig: () => string): void {
  const namespace = `client-${Date.now().toString(36)}`;
  const opened: Client[] = [];
  const open = async (options: ConnectOptions = {}) => {
    const client = await connect({ kubeconfig: kubeconfig(), onWarning: () => {}, ...options });
    opened.push(client);
    return client;
  };
  const context = { namespace, open } as { -readonly [K in keyof SuiteContext]: SuiteContext[K] };

  beforeAll(async () => {
    context.kubeconfig = kubeconfig();
    context.client = await open();
    await context.client.create(Namespace, { metadata: { name: namespace } });
    await context.client.waitFor(ServiceAccount, { name: "default", namespace }, () => true, { timeout: 30_000 });
    await context.client.apply(WidgetDefinition, widgetDefinition, { force: true });
    await context.client.waitFor(WidgetDefinition, { name: widgetDefinition.metadata.name }, hasCondition("Established"), {
      timeout: 30_000,
    });
  });
  afterAll(async () => {
    await context.client.delete(Namespace, { name: namespace });
    await context.client.delete(WidgetDefinition, { name: widgetDefinition.metadata.name });
    for (const client of opened) await client.close();
  });

  verbs(context);
  watches(context);
  subresources(context);
  discovery(context);
  errorConformance(context);
}

function verbs(context: SuiteContext): void {
  const at = (name: string) => ({ name, namespace: context.namespace });

  describe("verbs", () => {
    it("creates, gets, finds, replaces and deletes an object", async () => {
      const { client } = context;
      const created = await client.create(ConfigMap, { metadata: at("plain"), data: { a: "1" } });
      expect(created).toMatchObject({ apiVersion: "v1", kind: "ConfigMap", metadata: at("plain"), data: { a: "1" } });
      expect(await client.get(ConfigMap, at("plain"))).toEqual(created);
      expect(await client.get(ConfigMap, at("plain"), { resourceVersion: "0" })).toMatchObject({ data: { a: "1" } });
      expect(await client.find(ConfigMap, at("missing"))).toBeUndefined();
      const replaced = await client.replace(ConfigMap, { ...created, data: { b: "2" } });
      expect(replaced.data).toEqual({ b: "2" });
      expect(await client.delete(ConfigMap, at("plain"), { uid: created.metadata.uid })).toBeUndefined();
      expect(await client.find(ConfigMap, at("plain"))).toBeUndefined();
    });

    it("creates with generateName and as a dry run", async () => {
      const { client, namespace } = context;
      const created = await client.create(ConfigMap, { metadata: { generateName: "made-", namespace } });
      expect(created.metadata.name).toMatch(/^made-[a-z0-9]{5}$/);
      const dry = await client.create(ConfigMap, { metadata: at("dry") }, { dryRun: true });
      expect(dry.metadata.uid).not.toBe("");
      expect(await client.find(ConfigMap, at("dry"))).toBeUndefined();
    });

    it("sends merge, strategic merge and JSON patches", async () => {
      const { client } = context;
      await client.create(Deployment, deployment(at("patched")));
      const merged = await client.patch(Deployment, at("patched"), {
        merge: { metadata: { labels: { a: "b" } }, spec: { paused: true, replicas: 2 } },
      });
      expect(merged).toMatchObject({ metadata: { labels: { a: "b" } }, spec: { paused: true, replicas: 2 } });
      const strategic = await client.patch(Deployment, at("patched"), {
        strategic: { spec: { template: { spec: { containers: [{ name: "second", image: "i" }] } } } },
      });
      expect(strategic.spec.template.spec?.containers.map(({ name }) => name)).toEqual(["second", "main"]);
      const json = await client.patch(Deployment, at("patched"), {
        json: [
          { op: "test", path: "/spec/replicas", value: 2 },
          { op: "replace", path: "/spec/replicas", value: 5 },
          { op: "remove", path: "/metadata/labels/a" },
        ],
      });
      expect(json.spec.replicas).toBe(5);
      expect(json.metadata.labels).toBeUndefined();
    });

    it("apply creates, changes, removes omitted fields and takes over fields with force", async () => {
      const { client } = context;
      const metadata = at("applied");
      await client.apply(ConfigMap, { metadata, data: { a: "1", b: "1" } }, { fieldManager: "one" });
      const less = await client.apply(ConfigMap, { metadata, data: { a: "2" } }, { fieldManager: "one" });
      expect(less.data).toEqual({ a: "2" });
      const forced = await client.apply(ConfigMap, { metadata, data: { a: "3" } }, { fieldManager: "two", force: true });
      expect(forced.data).toEqual({ a: "3" });
      expect(forced.metadata.managedFields?.map(({ manager, operation }) => [manager, operation])).toContainEqual(["two", "Apply"]);
      const again = await client.apply(ConfigMap, { metadata, data: { a: "3" } }, { fieldManager: "two", force: true });
      expect(again.metadata.resourceVersion).toBe(forced.metadata.resourceVersion);
    });

    it("deletes with finalizers, propagation and a grace period", async () => {
      const { client } = context;
      await client.create(ConfigMap, { metadata: { ...at("held"), finalizers: ["example.com/held"] } });
      const held = await client.delete(ConfigMap, at("held"));
      expect(held?.metadata.deletionTimestamp).toBeDefined();
      const deleted = client.waitForDeletion(ConfigMap, at("held"), { timeout: 10_000 });
      await client.patch(ConfigMap, at("held"), { merge: { metadata: { finalizers: null } } });
      await deleted;

      await client.create(Deployment, deployment(at("orphaned")));
      const orphaned = await client.delete(Deployment, at("orphaned"), { propagation: "Orphan" });
      expect(orphaned?.metadata.finalizers).toEqual(["orphan"]);

      await client.create(Pod, pod(at("short")));
      await client.delete(Pod, at("short"), { gracePeriodSeconds: 0, dryRun: true });
      expect((await client.get(Pod, at("short"))).metadata.deletionTimestamp).toBeUndefined();
      await client.delete(Pod, at("short"), { gracePeriodSeconds: 0 });
      expect(await client.find(Pod, at("short"))).toBeUndefined();
    });

    it("lists with selectors and pages, and deletes collections", async () => {
      const { client, namespace } = context;
      const names = Array.from({ length: 23 }, (_, i) => `paged-${String(i).padStart(2, "0")}`);
      await Promise.all(names.map((name) => client.create(Secret, { metadata: { ...at(name), labels: { set: "paged" } } })));
      const list = await client.list(Secret, { namespace, labels: { set: "paged" } });
      expect(list.items.map(({ metadata }) => metadata.name)).toEqual(names);
      expect(new Set(list.items.map(({ apiVersion, kind }) => `${apiVersion} ${kind}`))).toEqual(new Set(["v1 Secret"]));
      expect((await client.list(Secret, { namespace, fields: "metadata.name=paged-03" })).items).toHaveLength(1);
      expect((await client.list(Secret, { labels: "set in (paged), !other" })).items).toHaveLength(23);
      for (const pageSize of [1, 5, 23, 500]) {
        const paged: string[] = [];
        for await (const { items } of client.listPages(Secret, { namespace, labels: "set=paged", pageSize })) {
          expect(items.length).toBeLessThanOrEqual(pageSize);
          paged.push(...items.map(({ metadata }) => metadata.name));
        }
        expect(paged).toEqual(names);
      }
      await client.deleteCollection(Secret, { namespace, labels: { set: "paged" } });
      expect((await client.list(Secret, { namespace, labels: "set=paged" })).items).toEqual([]);
    });

    it("reads metadata only", async () => {
      const { client, namespace } = context;
      await client.create(ConfigMap, { metadata: { ...at("cut"), labels: { set: "cut" } }, data: { a: "b" } });
      const cut = await client.get(metadataOnly(ConfigMap), at("cut"));
      expect(Object.keys(cut).sort()).toEqual(["apiVersion", "kind", "metadata"]);
      expect(cut).toMatchObject({ apiVersion: "v1", kind: "ConfigMap", metadata: at("cut") });
      const { items } = await client.list(metadataOnly(ConfigMap), { namespace, labels: "set=cut" });
      expect(items).toEqual([cut]);
      const patched = await client.patch(metadataOnly(ConfigMap), at("cut"), { merge: { metadata: { annotations: { a: "b" } } } });
      expect(patched.metadata.annotations).toEqual({ a: "b" });
    });

    it("validates fields and reports warnings", async () => {
      const warnings: string[] = [];
      const client = await context.open({ onWarning: ({ text }) => warnings.push(text) });
      const odd = { ...deployment(at("odd")), specc: {} } as never;
      await client.create(Deployment, odd, { fieldValidation: "Warn", dryRun: true });
      expect(warnings).toEqual(['unknown field "specc"']);
      await client.create(Deployment, odd, { fieldValidation: "Ignore", dryRun: true });
      expect(warnings).toHaveLength(1);
    });

    it("sends raw requests", async () => {
      const { client } = context;
      const version = await (await client.request({ method: "GET", path: "/version" })).json();
      expect(version).toHaveProperty("gitVersion");
      let text = "";
      for await (const chunk of (await client.request({ method: "GET", path: "/healthz" })).bytes()) text += Buffer.from(chunk).toString();
      expect(text).toBe("ok");
    });
  });
}

function watches(context: SuiteContext): void {
  const at = (name: string) => ({ name, namespace: context.namespace });

  describe("watch", () => {
    it("yields events from a resourceVersion on and ends when aborted", async () => {
      const { client, namespace } = context;
      const { metadata } = await client.list(ConfigMap, { namespace });
      const watch = client.watch(ConfigMap, { namespace, resourceVersion: metadata.resourceVersion, labels: "set=watched" });
      const seen = async () => {
        const { value } = await watch.next();
        return value?.type === "BOOKMARK" ? value.type : [value?.type, value?.object.metadata.name, value?.object.kind];
      };
      await client.create(ConfigMap, { metadata: { ...at("watched"), labels: { set: "watched" } } });
      expect(await seen()).toEqual(["ADDED", "watched", "ConfigMap"]);
      await client.patch(ConfigMap, at("watched"), { merge: { data: { a: "b" } } });
      expect(await seen()).toEqual(["MODIFIED", "watched", "ConfigMap"]);
      await client.patch(ConfigMap, at("watched"), { merge: { metadata: { labels: { set: "other" } } } });
      expect(await seen()).toEqual(["DELETED", "watched", "ConfigMap"]);
      await watch.return?.();
      const ending: unknown[] = [];
      for await (const event of client.watch(ConfigMap, { namespace, resourceVersion: metadata.resourceVersion, timeoutSeconds: 1 }))
        ending.push(event);
      expect(ending.length).toBeGreaterThan(0);
    });

    it("yields initial events, then the initial-events-end bookmark, also for metadata only", async () => {
      const { client, namespace } = context;
      await client.create(ConfigMap, { metadata: { ...at("initial"), labels: { set: "initial" } }, data: { a: "b" } });
      for (const kind of [ConfigMap, metadataOnly(ConfigMap)]) {
        const types: string[] = [];
        for await (const event of client.watch(kind, { namespace, labels: "set=initial", sendInitialEvents: true })) {
          types.push(event.type);
          if (event.type !== "BOOKMARK") {
            expect(event.object).toMatchObject({ apiVersion: "v1", kind: "ConfigMap", metadata: at("initial") });
            expect("data" in event.object).toBe(kind === ConfigMap);
          } else if (event.object.metadata.annotations?.[INITIAL_EVENTS_END] === "true") break;
        }
        expect(types).toEqual(["ADDED", "BOOKMARK"]);
      }
    });

    it("resolves waitFor", async () => {
      const { client } = context;
      const waited = client.waitFor(ConfigMap, at("awaited"), ({ data }) => data?.["a"] === "2", { timeout: 20_000 });
      await client.create(ConfigMap, { metadata: at("awaited"), data: { a: "1" } });
      await client.patch(ConfigMap, at("awaited"), { merge: { data: { a: "2" } } });
      expect((await waited).data).toEqual({ a: "2" });
    });
  });
}

function subresources(context: SuiteContext): void {
  const at = (name: string) => ({ name, namespace: context.namespace });

  describe("subresources", () => {
    it("gets, replaces, patches and applies status", async () => {
      const { client } = context;
      await client.create(Pod, pod(at("status")));
      const patched = await client.status.patch(Pod, at("status"), { merge: { status: { message: "patched" } } });
      expect(patched.status.message).toBe("patched");
      const replaced = await client.status.replace(Pod, { ...patched, status: { ...patched.status, message: "replaced" } });
      expect(replaced.status.message).toBe("replaced");
      const applied = await client.status.apply(Pod, { metadata: at("status"), status: { reason: "Applied" } }, { force: true });
      expect(applied.status.reason).toBe("Applied");
      expect((await client.status.get(Pod, at("status"))).status).toMatchObject({ message: "replaced", reason: "Applied" });
    });

    it("gets, patches and replaces scale", async () => {
      const { client } = context;
      await client.create(Deployment, deployment(at("scaled")));
      const scale = await client.scale.get(Deployment, at("scaled"));
      expect(scale).toMatchObject({ kind: "Scale", apiVersion: "autoscaling/v1", spec: { replicas: 1 } });
      expect((await client.scale.patch(Deployment, at("scaled"), { merge: { spec: { replicas: 3 } } })).spec.replicas).toBe(3);
      // Without a resourceVersion, because controllers may write the status in between.
      const next = { ...scale, metadata: { ...scale.metadata, resourceVersion: "" }, spec: { replicas: 2 } };
      expect((await client.scale.replace(Deployment, at("scaled"), next)).spec.replicas).toBe(2);
      expect((await client.get(Deployment, at("scaled"))).spec.replicas).toBe(2);
    });

    it("binds and evicts pods", async () => {
      const { client, namespace } = context;
      const node = `node-${namespace}`;
      await client.create(Node, { metadata: { name: node } });
      await client.create(Pod, pod(at("bound")));
      await client.bind(Pod, at("bound"), node);
      const bound = await client.get(Pod, at("bound"));
      expect(bound.spec.nodeName).toBe(node);
      await expect(client.bind(Pod, at("bound"), "elsewhere")).rejects.toThrow(Conflict);
      await client.evict(Pod, at("bound"), { uid: bound.metadata.uid, dryRun: true });
      expect((await client.get(Pod, at("bound"))).metadata.deletionTimestamp).toBeUndefined();
      await client.evict(Pod, at("bound"), { gracePeriodSeconds: 0 });
      await client.waitForDeletion(Pod, at("bound"), { timeout: 20_000 });
      await client.delete(Node, { name: node });
    });

    it("creates a token that authenticates a SelfSubjectReview", async () => {
      const { client, namespace } = context;
      const { token, expirationTimestamp } = await client.createToken(ServiceAccount, at("default"), { expirationSeconds: 600 });
      expect(Date.parse(expirationTimestamp)).toBeGreaterThan(Date.now());
      const { server, ca } = await loadClusterAccess({ kubeconfig: context.kubeconfig });
      const tokenClient = await context.open({ access: { server, ca, user: { token } } });
      const review = await tokenClient.request({
        method: "POST",
        path: "/apis/authentication.k8s.io/v1/selfsubjectreviews",
        headers: { accept: "application/json", "content-type": "application/json" },
        body: { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" },
      });
      expect(await review.json()).toMatchObject({ status: { userInfo: { username: `system:serviceaccount:${namespace}:default` } } });
    });

    it("creates a token for an audience, bound to an object", async () => {
      const { client } = context;
      const { metadata } = await client.create(Secret, { metadata: at("binding") });
      const boundTo = { apiVersion: "v1", kind: "Secret", name: metadata.name, uid: metadata.uid };
      const { token } = await client.createToken(ServiceAccount, at("default"), { audiences: ["one", "two"], boundTo });
      const claims = JSON.parse(Buffer.from(token.split(".")[1]!, "base64url").toString()) as Record<string, unknown>;
      expect(claims).toMatchObject({ aud: ["one", "two"], "kubernetes.io": { secret: { name: metadata.name, uid: metadata.uid } } });
      const stale = { ...boundTo, uid: "0b3e7c4e-6f0f-4a53-9a51-1c3d5f3f9e01" };
      await expect(client.createToken(ServiceAccount, at("default"), { boundTo: stale })).rejects.toThrow(Conflict);
      await expect(client.createToken(ServiceAccount, at("default"), { expirationSeconds: 1 })).rejects.toThrow(Invalid);
    });

    it("accesses other subresources untyped", async () => {
      const { client } = context;
      await client.create(Pod, pod(at("resized")));
      expect(await client.subresource("ephemeralcontainers").get(Pod, at("resized"))).toMatchObject({ kind: "Pod" });
    });
  });
}

function discovery(context: SuiteContext): void {
  const at = (name: string) => ({ name, namespace: context.namespace });

  describe("discovered kinds", () => {
    it("support all verbs and keep integers beyond the safe range", async () => {
      const { client } = context;
      const Widget = await client.discoverKind("conformance.pintle.dev/v1", "Widget");
      expect(Widget).toMatchObject({ plural: "widgets", scope: "Namespaced" });
      expect([...Widget.subresources].sort()).toEqual(["scale", "status"]);
      const big = 9223372036854775807n;
      const created = await client.create(Widget, { metadata: at("big"), spec: { big, small: 1 } });
      expect(created["spec"]).toEqual({ big, small: 1 });
      const replaced = await client.replace(Widget, { ...created, spec: { big: big - 1n, small: 2 } });
      expect((await client.get(Widget, at("big")))["spec"]).toEqual({ big: big - 1n, small: 2 });
      const patched = await client.status.patch(Widget, at("big"), { merge: { status: { seen: -big } } });
      expect(patched["status"]).toEqual({ seen: -big });
      expect(replaced.metadata.generation).toBe(2);
    });

    it("are listed with their kinds", async () => {
      const ids = (await context.client.discoverKinds()).map(({ id }) => id);
      expect(ids).toEqual(expect.arrayContaining(["v1/Pod", "apps/v1/Deployment", "conformance.pintle.dev/v1/Widget"]));
    });
  });
}
