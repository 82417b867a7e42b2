import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Manager } from "pintle";
import { type Client, Forbidden, Invalid, type RequestError, ServerError } from "pintle/client";
import { MutatingWebhookConfiguration } from "pintle/kinds/admissionregistration/v1";
import { Namespace, Pod, Secret } from "pintle/kinds/core/v1";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { buildManifests } from "../../packages/cli/src/manifests/index.ts";
import { buildServiceEndpoint, operatorFromOptions, withConversionEndpoint } from "../../packages/cli/src/project/index.ts";
import { binary } from "../real/index.ts";
import { NAMES, NAMESPACE, readCaBundles, registerWebhooks, startOperator } from "./operator.ts";
import { SERVERS, type WebhookServer } from "./servers.ts";
import { podWebhook, Widget, widgetWebhook } from "./widget.ts";

const webhooks = [widgetWebhook, podWebhook];

describe.each(SERVERS)("admission on %s", (_, startServer) => {
  let server: WebhookServer;
  let client: Client;
  let manager: Manager & { readonly complaints: any[] };
  const warnings: string[] = [];
  beforeAll(async () => {
    server = await startServer();
    client = await server.connect((text) => warnings.push(text));
    manager = startOperator({ client, webhooks, resources: [Widget] });
    await manager.ready;
    await registerWebhooks(client, manager.ports.webhooks!, webhooks, [Widget]);
    await vi.waitFor(async () => expect(await readCaBundles(client)).not.toContain(undefined), { timeout: 20_000 });
    // Servers load a configuration a moment after it is stored.
    await vi.waitFor(async () => expect(await isAccepted(client)).toBe("stable"), { timeout: 20_000 });
  });
  afterAll(async () => {
    await manager?.stop();
    await client?.close();
    await server?.stop();
  });

  const createWidget = (name: string, spec: object = {}, labels: Record<string, string> = {}) =>
    ({ metadata: { name, namespace: NAMESPACE, labels }, spec: { image: { name: "i" }, ...spec } }) as never;
  const failure = async (going: Promise<unknown>): Promise<RequestError> =>
    going.then(
      () => expect.fail("it went through"),
      (error: unknown) => error as RequestError,
    );

  test("applies defaults on create, and keeps unknown fields", async () => {
    const created = await client.create(Widget, createWidget("defaulted"));
    expect(created.spec).toEqual({ replicas: 1, image: { name: "i", tag: "stable" } });
    expect(created.metadata.annotations?.["example.com/last-seen-user"]).toMatch(/admin|kubernetes/);
    const given = await client.create(Widget, createWidget("given", { replicas: 2, image: { name: "i", tag: "7" } }));
    expect(given.spec).toEqual({ replicas: 2, image: { name: "i", tag: "7" } });
  });

  test("returns field errors on create and on update", async () => {
    const onCreate = await failure(client.create(Widget, createWidget("too-many", { replicas: 12 })));
    expect(onCreate).toBeInstanceOf(Invalid);
    expect(onCreate.statusCode).toBe(422);
    expect(onCreate.status?.message).toBe(
      'admission webhook "validate.widget.v3.webhooks.example.com" denied the request: Widget.webhooks.example.com "too-many" is invalid: spec.replicas: Invalid value: 12: must be at most 9',
    );
    expect((onCreate as Invalid).causes).toEqual([
      { reason: "FieldValueInvalid", message: "Invalid value: 12: must be at most 9", field: "spec.replicas" },
    ]);
    await client.create(Widget, createWidget("shrinking", { replicas: 5 }));
    const onUpdate = await failure(client.patch(Widget, { name: "shrinking", namespace: NAMESPACE }, { merge: { spec: { replicas: 2 } } }));
    expect((onUpdate as Invalid).causes.map(({ field }) => field)).toEqual(["spec.replicas", "metadata.name"]);
    expect(onUpdate.message).toContain(
      "[spec.replicas: Invalid value: 2: may shrink by one at a time, metadata.name: Forbidden: is checked, too]",
    );
  });

  test("denies a delete and a status update", async () => {
    const ref = { name: "kept", namespace: NAMESPACE };
    await client.create(Widget, createWidget("kept", {}, { keep: "true" }));
    const onDelete = await failure(client.delete(Widget, ref));
    expect(onDelete).toBeInstanceOf(Forbidden);
    expect(onDelete.status?.message).toBe(
      'admission webhook "validate.widget.v3.webhooks.example.com" denied the request: kept is to be kept',
    );
    const onStatus = await failure(client.status.patch(Widget, ref, { merge: { status: { ready: 3 } } }));
    expect((onStatus as Invalid).causes.map(({ field }) => field)).toEqual(["status.ready"]);
    expect((await client.status.patch(Widget, ref, { merge: { status: { ready: 1 } } })).status).toMatchObject({ ready: 1 });
    await client.patch(Widget, ref, { merge: { metadata: { labels: { keep: "false" } } } });
    await client.delete(Widget, ref);
  });

  test("a webhook that throws returns 500 to the client, is counted in metrics, and serves the next review", async () => {
    const threw = await failure(client.create(Widget, createWidget("boom", {}, { boom: "yes" })));
    expect(threw).toBeInstanceOf(ServerError);
    expect(threw.message).toContain("the webhook for Widget default/boom failed: kaboom");
    expect(manager.metrics.render()).toContain("controller_runtime_webhook_panics_total 1");
    expect(manager.metrics.render()).toContain(
      'controller_runtime_webhook_requests_total{webhook="/validate-webhooks-example-com-v3-widget",code="500"} 1',
    );
    expect(manager.complaints.map(({ message }) => message)).toContain("Webhook threw an error");
    await client.create(Widget, createWidget("after-boom"));
  });

  test("kubectl prints warnings, also of a dry run", async () => {
    const manifest = JSON.stringify({
      apiVersion: "webhooks.example.com/v3",
      kind: "Widget",
      metadata: { name: "warned", namespace: NAMESPACE },
      spec: { image: { name: "i", tag: "latest" } },
    });
    const run = promisify(execFile)(binary("kubectl"), ["--kubeconfig", server.kubeconfig, "create", "--dry-run=server", "-f", "-"]);
    run.child.stdin!.end(manifest);
    const { stdout, stderr } = await run;
    expect(stderr).toBe("Warning: the tag latest moves\nWarning: only a dry run\n");
    expect(stdout).toBe("widget.webhooks.example.com/warned created (server dry run)\n");
  });

  test("reviews a built-in kind, except in system namespaces", async () => {
    const pod = (name: string, namespace: string, spec: object = {}) =>
      ({ metadata: { name, namespace }, spec: { containers: [{ name: "c", image: "i" }], ...spec } }) as never;
    const created = await client.create(Pod, pod("a", NAMESPACE));
    expect(created.metadata.labels).toEqual({ "example.com/seen": "true" });
    expect(created.spec.containers[0]).toMatchObject({ imagePullPolicy: "IfNotPresent" });
    expect((await failure(client.create(Pod, pod("b", NAMESPACE, { hostNetwork: true })))).message).toContain(
      "spec.hostNetwork: Forbidden: pods stay off the host",
    );
    await client.apply(Namespace, { metadata: { name: "kube-system" } });
    expect((await client.create(Pod, pod("c", "kube-system", { hostNetwork: true }))).metadata.labels).toBeUndefined();
    await client.apply(Namespace, { metadata: { name: "operator-system" } });
    expect((await client.create(Pod, pod("d", "operator-system", { hostNetwork: true }))).metadata.labels).toBeUndefined();
  });

  test.each(["pintle", "cert-manager"] as const)(
    "what is generated for them is accepted, strictly read (%s)",
    async (webhookCertificates) => {
      const config = { webhookCertificates, networkPolicy: true };
      const project = { root: "/", name: "shop", version: "1.0.0", entry: "", namespace: "default", image: "shop:1.0.0", config };
      const described = withConversionEndpoint(
        operatorFromOptions({ controllers: [], webhooks, resources: [Widget] }),
        buildServiceEndpoint(project),
      );
      const objects = buildManifests({ project, operator: described }).map(({ object }) => object as any);
      // Kinds of other operators have CRDs that are not installed here.
      for (const object of objects.filter(({ apiVersion }) => !/^(cert-manager|monitoring)\./.test(apiVersion))) {
        const kind = await client.discoverKind(object.apiVersion, object.kind);
        await client.apply(kind, object, { dryRun: true, force: true, fieldValidation: "Strict" });
      }
      expect(objects.map(({ kind }) => kind)).toEqual(expect.arrayContaining(["MutatingWebhookConfiguration", "Service", "NetworkPolicy"]));
    },
  );

  test("recreates a deleted Secret with the served certificate", async () => {
    const ref = { name: NAMES.secret, namespace: NAMESPACE };
    const { data } = await client.get(Secret, ref);
    await client.delete(Secret, ref);
    await expect.poll(async () => (await client.find(Secret, ref))?.data, { timeout: 10_000 }).toEqual(data);
    expect(await isAccepted(client)).toBe("stable");
  });

  test("restores a removed caBundle", async () => {
    const before = await readCaBundles(client);
    await client.patch(
      MutatingWebhookConfiguration,
      { name: NAMES.mutating },
      { json: [{ op: "remove", path: "/webhooks/0/clientConfig/caBundle" }] },
    );
    await expect.poll(() => readCaBundles(client), { timeout: 10_000 }).toEqual(before);
  });
});

async function isAccepted(client: Client): Promise<string | undefined> {
  const metadata = { name: "probe", namespace: NAMESPACE };
  const made = await client.create(Widget, { metadata, spec: { image: { name: "i" } } }, { dryRun: true }).catch(() => undefined);
  return made?.spec.image.tag;
}
