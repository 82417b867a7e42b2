import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Manager } from "pintle";
import { type Client, Forbidden, Invalid, type RequestError, ServerError } from "pintle/client";
import { MutatingWebhookConfiguration } from "pintle/kinds/admissionregistration/v1";
import { Namespace, Pod, Secret } from "pintle/kinds/core/v1";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { manifests } from "../../packages/cli/src/manifests/index.ts";
import { operatorOf, placed, serviceOf } from "../../packages/cli/src/project/index.ts";
import { binary } from "../real/index.ts";
import { bundles, NAMES, NAMESPACE, operator, register } from "./operator.ts";
import { SERVERS, type Server } from "./servers.ts";
import { podWebhook, Vessel, vesselWebhook } from "./vessel.ts";

const webhooks = [vesselWebhook, podWebhook];

describe.each(SERVERS)("admission on %s", (_, startServer) => {
  let server: Server;
  let client: Client;
  let manager: Manager & { readonly complaints: any[] };
  const warnings: string[] = [];
  beforeAll(async () => {
    server = await startServer();
    client = await server.connect((text) => warnings.push(text));
    manager = operator({ client, webhooks, resources: [Vessel] });
    await manager.ready;
    await register(client, manager.ports.webhooks!, webhooks, [Vessel]);
    await vi.waitFor(async () => expect(await bundles(client)).not.toContain(undefined), { timeout: 20_000 });
    // Servers hear of a configuration a moment after it is stored.
    await vi.waitFor(async () => expect(await accepted(client)).toBe("stable"), { timeout: 20_000 });
  });
  afterAll(async () => {
    await manager?.stop();
    await client?.close();
    await server?.stop();
  });

  const vessel = (name: string, spec: object = {}, labels: Record<string, string> = {}) =>
    ({ metadata: { name, namespace: NAMESPACE, labels }, spec: { image: { name: "i" }, ...spec } }) as never;
  const failure = async (going: Promise<unknown>): Promise<RequestError> =>
    going.then(
      () => expect.fail("it went through"),
      (error: unknown) => error as RequestError,
    );

  test("defaults are filled in on create, and what no type knows is kept", async () => {
    const made = await client.create(Vessel, vessel("defaulted"));
    expect(made.spec).toEqual({ replicas: 1, image: { name: "i", tag: "stable" } });
    expect(made.metadata.annotations?.["example.com/last-seen-user"]).toMatch(/admin|kubernetes/);
    const given = await client.create(Vessel, vessel("given", { replicas: 2, image: { name: "i", tag: "7" } }));
    expect(given.spec).toEqual({ replicas: 2, image: { name: "i", tag: "7" } });
  });

  test("errors by field on create and on update", async () => {
    const onCreate = await failure(client.create(Vessel, vessel("too-many", { replicas: 12 })));
    expect(onCreate).toBeInstanceOf(Invalid);
    expect(onCreate.code).toBe(422);
    expect(onCreate.status?.message).toBe(
      'admission webhook "validate.vessel.v3.webhooks.example.com" denied the request: Vessel.webhooks.example.com "too-many" is invalid: spec.replicas: Invalid value: 12: must be at most 9',
    );
    expect((onCreate as Invalid).causes).toEqual([
      { reason: "FieldValueInvalid", message: "Invalid value: 12: must be at most 9", field: "spec.replicas" },
    ]);
    await client.create(Vessel, vessel("shrinking", { replicas: 5 }));
    const onUpdate = await failure(client.patch(Vessel, { name: "shrinking", namespace: NAMESPACE }, { merge: { spec: { replicas: 2 } } }));
    expect((onUpdate as Invalid).causes.map(({ field }) => field)).toEqual(["spec.replicas", "metadata.name"]);
    expect(onUpdate.message).toContain(
      "[spec.replicas: Invalid value: 2: may shrink by one at a time, metadata.name: Forbidden: is looked at, too]",
    );
  });

  test("a no to a delete, and to a status", async () => {
    const ref = { name: "kept", namespace: NAMESPACE };
    await client.create(Vessel, vessel("kept", {}, { keep: "true" }));
    const onDelete = await failure(client.delete(Vessel, ref));
    expect(onDelete).toBeInstanceOf(Forbidden);
    expect(onDelete.status?.message).toBe(
      'admission webhook "validate.vessel.v3.webhooks.example.com" denied the request: kept is to be kept',
    );
    const onStatus = await failure(client.status.patch(Vessel, ref, { merge: { status: { ready: 3 } } }));
    expect((onStatus as Invalid).causes.map(({ field }) => field)).toEqual(["status.ready"]);
    expect((await client.status.patch(Vessel, ref, { merge: { status: { ready: 1 } } })).status).toMatchObject({ ready: 1 });
    await client.patch(Vessel, ref, { merge: { metadata: { labels: { keep: "false" } } } });
    await client.delete(Vessel, ref);
  });

  test("a webhook that throws is a 500 to the client, is counted, and the next question is answered", async () => {
    const threw = await failure(client.create(Vessel, vessel("boom", {}, { boom: "yes" })));
    expect(threw).toBeInstanceOf(ServerError);
    expect(threw.message).toContain("the webhook for Vessel default/boom failed: kaboom");
    expect(manager.metrics.text()).toContain("controller_runtime_webhook_panics_total 1");
    expect(manager.metrics.text()).toContain(
      'controller_runtime_webhook_requests_total{webhook="/validate-webhooks-example-com-v3-vessel",code="500"} 1',
    );
    expect(manager.complaints.map(({ message }) => message)).toContain("a webhook threw");
    await client.create(Vessel, vessel("after-boom"));
  });

  test("kubectl shows warnings, also those of a dry run", async () => {
    const manifest = JSON.stringify({
      apiVersion: "webhooks.example.com/v3",
      kind: "Vessel",
      metadata: { name: "warned", namespace: NAMESPACE },
      spec: { image: { name: "i", tag: "latest" } },
    });
    const run = promisify(execFile)(binary("kubectl"), ["--kubeconfig", server.kubeconfig, "create", "--dry-run=server", "-f", "-"]);
    run.child.stdin!.end(manifest);
    const { stdout, stderr } = await run;
    expect(stderr).toBe("Warning: the tag latest moves\nWarning: only a dry run\n");
    expect(stdout).toBe("vessel.webhooks.example.com/warned created (server dry run)\n");
  });

  test("a built-in kind, but not where the cluster itself lives", async () => {
    const pod = (name: string, namespace: string, spec: object = {}) =>
      ({ metadata: { name, namespace }, spec: { containers: [{ name: "c", image: "i" }], ...spec } }) as never;
    const made = await client.create(Pod, pod("a", NAMESPACE));
    expect(made.metadata.labels).toEqual({ "example.com/seen": "true" });
    expect(made.spec.containers[0]).toMatchObject({ imagePullPolicy: "IfNotPresent" });
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
      const described = placed(operatorOf({ controllers: [], webhooks, resources: [Vessel] }), serviceOf(project));
      const objects = manifests({ project, operator: described }).map(({ object }) => object as any);
      // What belongs to operators of others has definitions of its own.
      for (const object of objects.filter(({ apiVersion }) => !/^(cert-manager|monitoring)\./.test(apiVersion))) {
        const kind = await client.kind(object.apiVersion, object.kind);
        await client.apply(kind, object, { dryRun: true, force: true, fieldValidation: "Strict" });
      }
      expect(objects.map(({ kind }) => kind)).toEqual(expect.arrayContaining(["MutatingWebhookConfiguration", "Service", "NetworkPolicy"]));
    },
  );

  test("a Secret that somebody took away comes back with what is served", async () => {
    const ref = { name: NAMES.secret, namespace: NAMESPACE };
    const { data } = await client.get(Secret, ref);
    await client.delete(Secret, ref);
    await expect.poll(async () => (await client.find(Secret, ref))?.data, { timeout: 10_000 }).toEqual(data);
    expect(await accepted(client)).toBe("stable");
  });

  test("a caBundle that somebody took away is put back", async () => {
    const before = await bundles(client);
    await client.patch(
      MutatingWebhookConfiguration,
      { name: NAMES.mutating },
      { json: [{ op: "remove", path: "/webhooks/0/clientConfig/caBundle" }] },
    );
    await expect.poll(() => bundles(client), { timeout: 10_000 }).toEqual(before);
  });
});

async function accepted(client: Client): Promise<string | undefined> {
  const metadata = { name: "probe", namespace: NAMESPACE };
  const made = await client.create(Vessel, { metadata, spec: { image: { name: "i" } } }, { dryRun: true }).catch(() => undefined);
  return made?.spec.image.tag;
}
