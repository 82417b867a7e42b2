import {
  AlreadyExists,
  BadRequest,
  type Client,
  Conflict,
  ConnectionError,
  Expired,
  Forbidden,
  Invalid,
  locate,
  NotFound,
  type RequestError,
  ServerError,
  Timeout,
  TooManyRequests,
  Unauthorized,
} from "pintle/client";
import { kind, meta } from "pintle/kinds";
import { Deployment } from "pintle/kinds/apps/v1";
import { ConfigMap, Namespace, Pod } from "pintle/kinds/core/v1";
import { PodDisruptionBudget } from "pintle/kinds/policy/v1";
import { describe, expect, it } from "vitest";
import type { Ground } from "./client.conformance.ts";
import { deployment, pod } from "./objects.ts";

async function failed<E extends RequestError>(promise: Promise<unknown>, type: abstract new (...args: any[]) => E): Promise<E> {
  const error = await promise.then(
    (value) => new Error(`it worked: ${JSON.stringify(value)}`),
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(type);
  expect((error as E).message).toContain((error as E).request);
  return error as E;
}

/** Every class of error, provoked. */
export function errorConformance(ground: Ground): void {
  const at = (name: string) => ({ name, namespace: ground.namespace });

  describe("errors", () => {
    it("NotFound: of an object, of a kind, of a namespace", async () => {
      const { client } = ground;
      const object = await failed(client.get(Pod, at("missing")), NotFound);
      expect(object.ofKind).toBe(false);
      expect(object.message).toBe(
        `Pod ${ground.namespace}/missing: pods "missing" not found (GET /api/v1/namespaces/${ground.namespace}/pods/missing)`,
      );
      expect(object.status?.details).toMatchObject({ name: "missing", kind: "pods" });
      for (const id of ["nowhere.pintle.dev/v1/Thing", "apps/v1/Thing"]) {
        const Thing = kind(id, "things", "Namespaced");
        expect((await failed(client.find(Thing, at("x")), NotFound)).ofKind).toBe(true);
      }
      await failed(client.kind("nowhere.pintle.dev/v1", "Thing"), NotFound);
      await failed(client.kind("v1", "Thing"), NotFound);
      const namespace = await failed(client.create(ConfigMap, { metadata: { name: "x", namespace: "nowhere" } }), NotFound);
      expect(namespace.message).toContain('namespaces "nowhere" not found');
    });

    it("AlreadyExists", async () => {
      await ground.client.create(ConfigMap, { metadata: at("twice") });
      await failed(ground.client.create(ConfigMap, { metadata: at("twice") }), AlreadyExists);
    });

    it("Conflict: of versions, of uids, of appliers", async () => {
      const { client } = ground;
      const made = await client.create(ConfigMap, { metadata: at("disputed"), data: { a: "1" } });
      await client.patch(ConfigMap, at("disputed"), { merge: { data: { a: "2" } } });
      await failed(client.replace(ConfigMap, made), Conflict);
      await failed(
        client.patch(ConfigMap, at("disputed"), { merge: { metadata: { resourceVersion: made.metadata.resourceVersion } } }),
        Conflict,
      );
      await failed(client.delete(ConfigMap, at("disputed"), { uid: "0b3e7c4e-6f0f-4a53-9a51-1c3d5f3f9e01" }), Conflict);
      await failed(client.delete(ConfigMap, at("disputed"), { resourceVersion: "1" }), Conflict);
      const applied = await failed(
        client.apply(ConfigMap, { metadata: at("disputed"), data: { a: "3" } }, { fieldManager: "other" }),
        Conflict,
      );
      expect(applied.conflicts).toMatchObject([{ field: ".data.a" }]);
      expect(applied.message).toContain("apply with force to take them over");
    });

    it("Invalid, with causes by field", async () => {
      const { client } = ground;
      const spec = { ...deployment(at("x")).spec, replicas: -1, selector: { matchLabels: { other: "x" } } };
      const invalid = await failed(client.create(Deployment, { metadata: at("x"), spec }), Invalid);
      expect(invalid.causes.map(({ field }) => field)).toEqual(expect.arrayContaining(["spec.replicas", "spec.template.metadata.labels"]));
      const Widget = await client.kind("conformance.pintle.dev/v1", "Widget");
      const widget = await failed(client.create(Widget, { metadata: at("x"), spec: { small: 10 } }), Invalid);
      expect(widget.causes).toMatchObject([{ field: "spec.small", reason: "FieldValueInvalid" }]);
      await failed(client.patch(ConfigMap, at("disputed"), { json: [{ op: "test", path: "/data/a", value: "no" }] }), Invalid);
    });

    it("Forbidden, naming user, verb, resource and namespace", async () => {
      const jane = await ground.open({ impersonate: { user: "jane", groups: ["system:authenticated"] } });
      const denied = await failed(jane.list(Pod, { namespace: ground.namespace }), Forbidden);
      expect(denied.denial).toEqual({ user: "jane", verb: "list", resource: "pods", group: "", namespace: ground.namespace });
      expect((await failed(jane.list(Deployment), Forbidden)).denial).toMatchObject({ group: "apps", namespace: undefined });
      expect((await failed(jane.evict(Pod, at("x")), Forbidden)).denial).toMatchObject({ verb: "create", resource: "pods/eviction" });
      expect((await failed(jane.exec(Pod, at("x"), { command: ["x"] }), Forbidden)).denial).toMatchObject({ resource: "pods/exec" });
      expect((await failed(jane.request({ method: "GET", path: "/metrics" }), Forbidden)).denial).toMatchObject({ resource: "/metrics" });
    });

    it("Unauthorized", async () => {
      const { server, ca } = await locate({ kubeconfig: ground.kubeconfig });
      const stranger = await ground.open({ access: { server, ca, user: { token: "nonsense" } } });
      await failed(stranger.get(Namespace, { name: "default" }), Unauthorized);
    });

    it("Expired, when a watch begins before its kind did", async () => {
      const { client, namespace } = ground;
      const Widget = await client.kind("conformance.pintle.dev/v1", "Widget");
      const error = await failed(client.watch(Widget, { namespace, resourceVersion: "1" }).next(), Expired);
      expect(error.message).toContain("list again");
      expect(error.code).toBe(410);
    });

    it("TooManyRequests, when a disruption budget is spent", async () => {
      const { client } = ground;
      await client.create(Pod, pod(at("guarded")));
      await client.status.patch(Pod, at("guarded"), {
        merge: {
          status: { phase: "Running", conditions: [{ type: "Ready", status: "True", lastTransitionTime: new Date().toISOString() }] },
        },
      });
      const budget = { metadata: at("guard"), spec: { minAvailable: 1, selector: { matchLabels: { pod: "guarded" } } } };
      await client.create(PodDisruptionBudget, budget);
      await client.wait(PodDisruptionBudget, at("guard"), ({ status }) => status.currentHealthy === 1, { timeout: 30_000 });
      const busy = await failed(client.evict(Pod, at("guarded")), TooManyRequests);
      expect(busy.message).toContain("disruption budget");
    });

    it("Timeout, when a version is asked for that is not there yet", async () => {
      await failed(ground.client.list(ConfigMap, { resourceVersion: "9007199254740993", resourceVersionMatch: "NotOlderThan" }), Timeout);
      const waited = ground.client.wait(ConfigMap, at("never"), () => true, { timeout: 200 });
      expect((await failed(waited, Timeout)).message).toContain("it was not there");
    });

    it("BadRequest", async () => {
      const { client } = ground;
      await failed(client.list(Pod, { fields: "spec.nonsense=1" }), BadRequest);
      await failed(client.list(Pod, { labels: "a in b" }), BadRequest);
      await failed(client.list(Pod, { continue: "nonsense", limit: 1 }), BadRequest);
      const odd = { ...deployment(at("odd")), specc: {} } as never;
      const strict = await failed(client.create(Deployment, odd, { fieldValidation: "Strict" }), BadRequest);
      expect(strict.message).toContain('unknown field "specc"');
      await client.create(Pod, pod(at("homeless")));
      await failed(client.exec(Pod, at("homeless"), { command: ["x"] }), BadRequest);
      await failed(client.portForward(Pod, at("homeless"), 80), BadRequest);
      const Widget = await client.kind("conformance.pintle.dev/v1", "Widget");
      await client.create(Widget, { metadata: at("strategic"), spec: { small: 1 } });
      const unsupported = await failed(client.patch(Widget, at("strategic"), { strategic: { spec: {} } }), BadRequest);
      expect(unsupported.code).toBe(415);
    });

    it("ServerError", async () => {
      const made = await ground.client.get(ConfigMap, at("twice"));
      await failed(ground.client.create(ConfigMap, { metadata: { ...made.metadata, name: "versioned" } }), ServerError);
    });

    it("ConnectionError", async () => {
      const closed: Client = await ground.open();
      await closed.close();
      await failed(closed.get(meta(ConfigMap), at("x")), ConnectionError);
    });
  });
}
