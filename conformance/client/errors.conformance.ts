import {
  AlreadyExists,
  BadRequest,
  type Client,
  Conflict,
  ConnectionError,
  Expired,
  Forbidden,
  Invalid,
  loadClusterAccess,
  NotFound,
  type RequestError,
  ServerError,
  Timeout,
  TooManyRequests,
  Unauthorized,
} from "pintle/client";
import { defineKind, metadataOnly } from "pintle/kinds";
import { Deployment } from "pintle/kinds/apps/v1";
import { ConfigMap, Namespace, Pod } from "pintle/kinds/core/v1";
import { PodDisruptionBudget } from "pintle/kinds/policy/v1";
import { describe, expect, it } from "vitest";
import type { SuiteContext } from "./client.conformance.ts";
import { deployment, pod } from "./objects.ts";

async function expectError<E extends RequestError>(promise: Promise<unknown>, type: abstract new (...args: any[]) => E): Promise<E> {
  const error = await promise.then(
    (value) => new Error(`it worked: ${JSON.stringify(value)}`),
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(type);
  expect((error as E).message).toContain((error as E).request);
  return error as E;
}

/** Provokes every class of error. */
export function errorConformance(context: SuiteContext): void {
  const at = (name: string) => ({ name, namespace: context.namespace });

  describe("errors", () => {
    it("NotFound: of an object, of a kind, of a namespace", async () => {
      const { client } = context;
      const object = await expectError(client.get(Pod, at("missing")), NotFound);
      expect(object.isUnservedKind).toBe(false);
      expect(object.message).toBe(
        `Pod ${context.namespace}/missing: pods "missing" not found (GET /api/v1/namespaces/${context.namespace}/pods/missing)`,
      );
      expect(object.status?.details).toMatchObject({ name: "missing", kind: "pods" });
      for (const id of ["nowhere.pintle.dev/v1/Thing", "apps/v1/Thing"]) {
        const Thing = defineKind(id, "things", "Namespaced");
        expect((await expectError(client.find(Thing, at("x")), NotFound)).isUnservedKind).toBe(true);
      }
      await expectError(client.discoverKind("nowhere.pintle.dev/v1", "Thing"), NotFound);
      await expectError(client.discoverKind("v1", "Thing"), NotFound);
      const namespace = await expectError(client.create(ConfigMap, { metadata: { name: "x", namespace: "nowhere" } }), NotFound);
      expect(namespace.message).toContain('namespaces "nowhere" not found');
    });

    it("AlreadyExists, when an object of the name exists", async () => {
      await context.client.create(ConfigMap, { metadata: at("twice") });
      await expectError(context.client.create(ConfigMap, { metadata: at("twice") }), AlreadyExists);
    });

    it("Conflict: of versions, of uids, of appliers", async () => {
      const { client } = context;
      const created = await client.create(ConfigMap, { metadata: at("disputed"), data: { a: "1" } });
      await client.patch(ConfigMap, at("disputed"), { merge: { data: { a: "2" } } });
      await expectError(client.replace(ConfigMap, created), Conflict);
      await expectError(
        client.patch(ConfigMap, at("disputed"), { merge: { metadata: { resourceVersion: created.metadata.resourceVersion } } }),
        Conflict,
      );
      await expectError(client.delete(ConfigMap, at("disputed"), { uid: "0b3e7c4e-6f0f-4a53-9a51-1c3d5f3f9e01" }), Conflict);
      await expectError(client.delete(ConfigMap, at("disputed"), { resourceVersion: "1" }), Conflict);
      const applied = await expectError(
        client.apply(ConfigMap, { metadata: at("disputed"), data: { a: "3" } }, { fieldManager: "other" }),
        Conflict,
      );
      expect(applied.conflicts).toMatchObject([{ field: ".data.a" }]);
      expect(applied.message).toContain("apply with force to take them over");
    });

    it("Invalid, with causes by field", async () => {
      const { client } = context;
      const spec = { ...deployment(at("x")).spec, replicas: -1, selector: { matchLabels: { other: "x" } } };
      const invalid = await expectError(client.create(Deployment, { metadata: at("x"), spec }), Invalid);
      expect(invalid.causes.map(({ field }) => field)).toEqual(expect.arrayContaining(["spec.replicas", "spec.template.metadata.labels"]));
      const Widget = await client.discoverKind("conformance.pintle.dev/v1", "Widget");
      const widget = await expectError(client.create(Widget, { metadata: at("x"), spec: { small: 10 } }), Invalid);
      expect(widget.causes).toMatchObject([{ field: "spec.small", reason: "FieldValueInvalid" }]);
      await expectError(client.patch(ConfigMap, at("disputed"), { json: [{ op: "test", path: "/data/a", value: "no" }] }), Invalid);
    });

    it("Forbidden, naming user, verb, resource and namespace", async () => {
      const jane = await context.open({ impersonate: { user: "jane", groups: ["system:authenticated"] } });
      const denied = await expectError(jane.list(Pod, { namespace: context.namespace }), Forbidden);
      expect(denied.denial).toEqual({ user: "jane", verb: "list", resource: "pods", group: "", namespace: context.namespace });
      expect((await expectError(jane.list(Deployment), Forbidden)).denial).toMatchObject({ group: "apps", namespace: undefined });
      expect((await expectError(jane.evict(Pod, at("x")), Forbidden)).denial).toMatchObject({ verb: "create", resource: "pods/eviction" });
      expect((await expectError(jane.exec(Pod, at("x"), { command: ["x"] }), Forbidden)).denial).toMatchObject({ resource: "pods/exec" });
      expect((await expectError(jane.request({ method: "GET", path: "/metrics" }), Forbidden)).denial).toMatchObject({
        resource: "/metrics",
      });
    });

    it("Unauthorized, when the token is invalid", async () => {
      const { server, ca } = await loadClusterAccess({ kubeconfig: context.kubeconfig });
      const unauthenticated = await context.open({ access: { server, ca, user: { token: "nonsense" } } });
      await expectError(unauthenticated.get(Namespace, { name: "default" }), Unauthorized);
    });

    it("Expired, when a watch starts before the CRD existed", async () => {
      const { client, namespace } = context;
      const Widget = await client.discoverKind("conformance.pintle.dev/v1", "Widget");
      const error = await expectError(client.watch(Widget, { namespace, resourceVersion: "1" }).next(), Expired);
      expect(error.message).toContain("list again");
      expect(error.statusCode).toBe(410);
    });

    it("TooManyRequests, when a disruption budget is spent", async () => {
      const { client } = context;
      await client.create(Pod, pod(at("guarded")));
      await client.status.patch(Pod, at("guarded"), {
        merge: {
          status: { phase: "Running", conditions: [{ type: "Ready", status: "True", lastTransitionTime: new Date().toISOString() }] },
        },
      });
      const budget = { metadata: at("guard"), spec: { minAvailable: 1, selector: { matchLabels: { pod: "guarded" } } } };
      await client.create(PodDisruptionBudget, budget);
      await client.waitFor(PodDisruptionBudget, at("guard"), ({ status }) => status.currentHealthy === 1, { timeout: 30_000 });
      const busy = await expectError(client.evict(Pod, at("guarded")), TooManyRequests);
      expect(busy.message).toContain("disruption budget");
    });

    it("Timeout, when a future resourceVersion is requested", async () => {
      await expectError(
        context.client.list(ConfigMap, { resourceVersion: "9007199254740993", resourceVersionMatch: "NotOlderThan" }),
        Timeout,
      );
      const waited = context.client.waitFor(ConfigMap, at("never"), () => true, { timeout: 200 });
      expect((await expectError(waited, Timeout)).message).toContain("it did not exist");
    });

    it("BadRequest, when an option, a field or the target of a stream is invalid", async () => {
      const { client } = context;
      await expectError(client.list(Pod, { fields: "spec.nonsense=1" }), BadRequest);
      await expectError(client.list(Pod, { labels: "a in b" }), BadRequest);
      await expectError(client.list(Pod, { continue: "nonsense", limit: 1 }), BadRequest);
      const odd = { ...deployment(at("odd")), specc: {} } as never;
      const strict = await expectError(client.create(Deployment, odd, { fieldValidation: "Strict" }), BadRequest);
      expect(strict.message).toContain('unknown field "specc"');
      await client.create(Pod, pod(at("homeless")));
      await expectError(client.exec(Pod, at("homeless"), { command: ["x"] }), BadRequest);
      await expectError(client.portForward(Pod, at("homeless"), 80), BadRequest);
      const Widget = await client.discoverKind("conformance.pintle.dev/v1", "Widget");
      await client.create(Widget, { metadata: at("strategic"), spec: { small: 1 } });
      const unsupported = await expectError(client.patch(Widget, at("strategic"), { strategic: { spec: {} } }), BadRequest);
      expect(unsupported.statusCode).toBe(415);
    });

    it("ServerError, when a create sets a resourceVersion", async () => {
      const created = await context.client.get(ConfigMap, at("twice"));
      await expectError(context.client.create(ConfigMap, { metadata: { ...created.metadata, name: "versioned" } }), ServerError);
    });

    it("ConnectionError, when the client is closed", async () => {
      const closed: Client = await context.open();
      await closed.close();
      await expectError(closed.get(metadataOnly(ConfigMap), at("x")), ConnectionError);
    });
  });
}
