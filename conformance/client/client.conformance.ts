import { type Client, Conflict, type ConnectOptions, condition, connect, INITIAL_EVENTS_END, Invalid, locate } from "pintle/client";
import { meta } from "pintle/kinds";
import { Deployment } from "pintle/kinds/apps/v1";
import { ConfigMap, Namespace, Node, Pod, Secret, ServiceAccount } from "pintle/kinds/core/v1";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { errorConformance } from "./errors.conformance.ts";
import { deployment, pod, WidgetDefinition, widgetDefinition } from "./objects.ts";

/** What a suite works with: a namespace of its own, and clients of the server under test. */
export interface Ground {
  readonly namespace: string;
  readonly client: Client;
  readonly kubeconfig: string;
  open(options?: ConnectOptions): Promise<Client>;
}

/**
 * Every verb, every patch type and every error class against the server of a kubeconfig. The server has to run the
 * built-in controllers for service accounts and disruption budgets.
 */
export function clientConformance(kubeconfig: () => string): void {
  const namespace = `client-${Date.now().toString(36)}`;
  const opened: Client[] = [];
  const open = async (options: ConnectOptions = {}) => {
    const client = await connect({ kubeconfig: kubeconfig(), onWarning: () => {}, ...options });
    opened.push(client);
    return client;
  };
  const ground = { namespace, open } as { -readonly [K in keyof Ground]: Ground[K] };

  beforeAll(async () => {
    ground.kubeconfig = kubeconfig();
    ground.client = await open();
    await ground.client.create(Namespace, { metadata: { name: namespace } });
    await ground.client.wait(ServiceAccount, { name: "default", namespace }, () => true, { timeout: 30_000 });
    await ground.client.apply(WidgetDefinition, widgetDefinition, { force: true });
    await ground.client.wait(WidgetDefinition, { name: widgetDefinition.metadata.name }, condition("Established"), { timeout: 30_000 });
  });
  afterAll(async () => {
    await ground.client.delete(Namespace, { name: namespace });
    await ground.client.delete(WidgetDefinition, { name: widgetDefinition.metadata.name });
    for (const client of opened) await client.close();
  });

  verbs(ground);
  watches(ground);
  subresources(ground);
  discovery(ground);
  errorConformance(ground);
}

function verbs(ground: Ground): void {
  const at = (name: string) => ({ name, namespace: ground.namespace });

  describe("verbs", () => {
    it("create, get, find, replace, delete", async () => {
      const { client } = ground;
      const made = await client.create(ConfigMap, { metadata: at("plain"), data: { a: "1" } });
      expect(made).toMatchObject({ apiVersion: "v1", kind: "ConfigMap", metadata: at("plain"), data: { a: "1" } });
      expect(await client.get(ConfigMap, at("plain"))).toEqual(made);
      expect(await client.get(ConfigMap, at("plain"), { resourceVersion: "0" })).toMatchObject({ data: { a: "1" } });
      expect(await client.find(ConfigMap, at("missing"))).toBeUndefined();
      const replaced = await client.replace(ConfigMap, { ...made, data: { b: "2" } });
      expect(replaced.data).toEqual({ b: "2" });
      expect(await client.delete(ConfigMap, at("plain"), { uid: made.metadata.uid })).toBeUndefined();
      expect(await client.find(ConfigMap, at("plain"))).toBeUndefined();
    });

    it("create with a name made by the server, and without storing", async () => {
      const { client, namespace } = ground;
      const made = await client.create(ConfigMap, { metadata: { generateName: "made-", namespace } });
      expect(made.metadata.name).toMatch(/^made-[a-z0-9]{5}$/);
      const dry = await client.create(ConfigMap, { metadata: at("dry") }, { dryRun: true });
      expect(dry.metadata.uid).not.toBe("");
      expect(await client.find(ConfigMap, at("dry"))).toBeUndefined();
    });

    it("the three patches", async () => {
      const { client } = ground;
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

    it("apply: creates, changes, removes what is left out, takes over by force", async () => {
      const { client } = ground;
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

    it("delete with finalizers, propagation and grace", async () => {
      const { client } = ground;
      await client.create(ConfigMap, { metadata: { ...at("held"), finalizers: ["example.com/held"] } });
      const held = await client.delete(ConfigMap, at("held"));
      expect(held?.metadata.deletionTimestamp).toBeDefined();
      const gone = client.waitGone(ConfigMap, at("held"), { timeout: 10_000 });
      await client.patch(ConfigMap, at("held"), { merge: { metadata: { finalizers: null } } });
      await gone;

      await client.create(Deployment, deployment(at("orphaned")));
      const orphaned = await client.delete(Deployment, at("orphaned"), { propagation: "Orphan" });
      expect(orphaned?.metadata.finalizers).toEqual(["orphan"]);

      await client.create(Pod, pod(at("short")));
      await client.delete(Pod, at("short"), { gracePeriodSeconds: 0, dryRun: true });
      expect((await client.get(Pod, at("short"))).metadata.deletionTimestamp).toBeUndefined();
      await client.delete(Pod, at("short"), { gracePeriodSeconds: 0 });
      expect(await client.find(Pod, at("short"))).toBeUndefined();
    });

    it("list, selected, in pages of any size, and deleteCollection", async () => {
      const { client, namespace } = ground;
      const names = Array.from({ length: 23 }, (_, i) => `paged-${String(i).padStart(2, "0")}`);
      await Promise.all(names.map((name) => client.create(Secret, { metadata: { ...at(name), labels: { set: "paged" } } })));
      const list = await client.list(Secret, { namespace, labels: { set: "paged" } });
      expect(list.items.map(({ metadata }) => metadata.name)).toEqual(names);
      expect(new Set(list.items.map(({ apiVersion, kind }) => `${apiVersion} ${kind}`))).toEqual(new Set(["v1 Secret"]));
      expect((await client.list(Secret, { namespace, fields: "metadata.name=paged-03" })).items).toHaveLength(1);
      expect((await client.list(Secret, { labels: "set in (paged), !other" })).items).toHaveLength(23);
      for (const size of [1, 5, 23, 500]) {
        const paged: string[] = [];
        for await (const { items } of client.pages(Secret, { namespace, labels: "set=paged", size })) {
          expect(items.length).toBeLessThanOrEqual(size);
          paged.push(...items.map(({ metadata }) => metadata.name));
        }
        expect(paged).toEqual(names);
      }
      await client.deleteCollection(Secret, { namespace, labels: { set: "paged" } });
      expect((await client.list(Secret, { namespace, labels: "set=paged" })).items).toEqual([]);
    });

    it("metadata only", async () => {
      const { client, namespace } = ground;
      await client.create(ConfigMap, { metadata: { ...at("cut"), labels: { set: "cut" } }, data: { a: "b" } });
      const cut = await client.get(meta(ConfigMap), at("cut"));
      expect(Object.keys(cut).sort()).toEqual(["apiVersion", "kind", "metadata"]);
      expect(cut).toMatchObject({ apiVersion: "v1", kind: "ConfigMap", metadata: at("cut") });
      const { items } = await client.list(meta(ConfigMap), { namespace, labels: "set=cut" });
      expect(items).toEqual([cut]);
      const patched = await client.patch(meta(ConfigMap), at("cut"), { merge: { metadata: { annotations: { a: "b" } } } });
      expect(patched.metadata.annotations).toEqual({ a: "b" });
    });

    it("field validation, and warnings as they come", async () => {
      const heard: string[] = [];
      const client = await ground.open({ onWarning: ({ text }) => heard.push(text) });
      const odd = { ...deployment(at("odd")), specc: {} } as never;
      await client.create(Deployment, odd, { fieldValidation: "Warn", dryRun: true });
      expect(heard).toEqual(['unknown field "specc"']);
      await client.create(Deployment, odd, { fieldValidation: "Ignore", dryRun: true });
      expect(heard).toHaveLength(1);
    });

    it("anything else", async () => {
      const { client } = ground;
      const version = await (await client.request({ method: "GET", path: "/version" })).json();
      expect(version).toHaveProperty("gitVersion");
      let text = "";
      for await (const chunk of (await client.request({ method: "GET", path: "/healthz" })).bytes()) text += Buffer.from(chunk).toString();
      expect(text).toBe("ok");
    });
  });
}

function watches(ground: Ground): void {
  const at = (name: string) => ({ name, namespace: ground.namespace });

  describe("watch", () => {
    it("gives what happens from a version on, and ends when asked", async () => {
      const { client, namespace } = ground;
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

    it("gives the initial state, then a bookmark that says so, also of metadata only", async () => {
      const { client, namespace } = ground;
      await client.create(ConfigMap, { metadata: { ...at("initial"), labels: { set: "initial" } }, data: { a: "b" } });
      for (const kind of [ConfigMap, meta(ConfigMap)]) {
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

    it("is what wait waits by", async () => {
      const { client } = ground;
      const waited = client.wait(ConfigMap, at("awaited"), ({ data }) => data?.["a"] === "2", { timeout: 20_000 });
      await client.create(ConfigMap, { metadata: at("awaited"), data: { a: "1" } });
      await client.patch(ConfigMap, at("awaited"), { merge: { data: { a: "2" } } });
      expect((await waited).data).toEqual({ a: "2" });
    });
  });
}

function subresources(ground: Ground): void {
  const at = (name: string) => ({ name, namespace: ground.namespace });

  describe("subresources", () => {
    it("status: get, replace, patch, apply", async () => {
      const { client } = ground;
      await client.create(Pod, pod(at("status")));
      const patched = await client.status.patch(Pod, at("status"), { merge: { status: { message: "patched" } } });
      expect(patched.status.message).toBe("patched");
      const replaced = await client.status.replace(Pod, { ...patched, status: { ...patched.status, message: "replaced" } });
      expect(replaced.status.message).toBe("replaced");
      const applied = await client.status.apply(Pod, { metadata: at("status"), status: { reason: "Applied" } }, { force: true });
      expect(applied.status.reason).toBe("Applied");
      expect((await client.status.get(Pod, at("status"))).status).toMatchObject({ message: "replaced", reason: "Applied" });
    });

    it("scale: get, patch, replace", async () => {
      const { client } = ground;
      await client.create(Deployment, deployment(at("scaled")));
      const scale = await client.scale.get(Deployment, at("scaled"));
      expect(scale).toMatchObject({ kind: "Scale", apiVersion: "autoscaling/v1", spec: { replicas: 1 } });
      expect((await client.scale.patch(Deployment, at("scaled"), { merge: { spec: { replicas: 3 } } })).spec.replicas).toBe(3);
      // Without a version: where controllers run, they write its status in between.
      const next = { ...scale, metadata: { ...scale.metadata, resourceVersion: "" }, spec: { replicas: 2 } };
      expect((await client.scale.replace(Deployment, at("scaled"), next)).spec.replicas).toBe(2);
      expect((await client.get(Deployment, at("scaled"))).spec.replicas).toBe(2);
    });

    it("binding and eviction", async () => {
      const { client, namespace } = ground;
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
      await client.waitGone(Pod, at("bound"), { timeout: 20_000 });
      await client.delete(Node, { name: node });
    });

    it("token, which is good for asking who one is", async () => {
      const { client, namespace } = ground;
      const { token, expirationTimestamp } = await client.token(ServiceAccount, at("default"), { expirationSeconds: 600 });
      expect(Date.parse(expirationTimestamp)).toBeGreaterThan(Date.now());
      const { server, ca } = await locate({ kubeconfig: ground.kubeconfig });
      const mine = await ground.open({ access: { server, ca, user: { token } } });
      const review = await mine.request({
        method: "POST",
        path: "/apis/authentication.k8s.io/v1/selfsubjectreviews",
        headers: { accept: "application/json", "content-type": "application/json" },
        body: { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" },
      });
      expect(await review.json()).toMatchObject({ status: { userInfo: { username: `system:serviceaccount:${namespace}:default` } } });
    });

    it("token for an audience, bound to an object", async () => {
      const { client } = ground;
      const { metadata } = await client.create(Secret, { metadata: at("binding") });
      const boundTo = { apiVersion: "v1", kind: "Secret", name: metadata.name, uid: metadata.uid };
      const { token } = await client.token(ServiceAccount, at("default"), { audiences: ["one", "two"], boundTo });
      const claims = JSON.parse(Buffer.from(token.split(".")[1]!, "base64url").toString()) as Record<string, unknown>;
      expect(claims).toMatchObject({ aud: ["one", "two"], "kubernetes.io": { secret: { name: metadata.name, uid: metadata.uid } } });
      const stale = { ...boundTo, uid: "0b3e7c4e-6f0f-4a53-9a51-1c3d5f3f9e01" };
      await expect(client.token(ServiceAccount, at("default"), { boundTo: stale })).rejects.toThrow(Conflict);
      await expect(client.token(ServiceAccount, at("default"), { expirationSeconds: 1 })).rejects.toThrow(Invalid);
    });

    it("others, untyped", async () => {
      const { client } = ground;
      await client.create(Pod, pod(at("resized")));
      expect(await client.subresource("ephemeralcontainers").get(Pod, at("resized"))).toMatchObject({ kind: "Pod" });
    });
  });
}

function discovery(ground: Ground): void {
  const at = (name: string) => ({ name, namespace: ground.namespace });

  describe("kinds found at run time", () => {
    it("are as good as any, and keep integers that JSON.parse would damage", async () => {
      const { client } = ground;
      const Widget = await client.kind("conformance.pintle.dev/v1", "Widget");
      expect(Widget).toMatchObject({ plural: "widgets", scope: "Namespaced" });
      expect([...Widget.subresources].sort()).toEqual(["scale", "status"]);
      const big = 9223372036854775807n;
      const made = await client.create(Widget, { metadata: at("big"), spec: { big, small: 1 } });
      expect(made["spec"]).toEqual({ big, small: 1 });
      const replaced = await client.replace(Widget, { ...made, spec: { big: big - 1n, small: 2 } });
      expect((await client.get(Widget, at("big")))["spec"]).toEqual({ big: big - 1n, small: 2 });
      const patched = await client.status.patch(Widget, at("big"), { merge: { status: { seen: -big } } });
      expect(patched["status"]).toEqual({ seen: -big });
      expect(replaced.metadata.generation).toBe(2);
    });

    it("can be listed", async () => {
      const ids = (await ground.client.kinds()).map(({ id }) => id);
      expect(ids).toEqual(expect.arrayContaining(["v1/Pod", "apps/v1/Deployment", "conformance.pintle.dev/v1/Widget"]));
    });
  });
}
