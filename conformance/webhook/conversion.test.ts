import { controller, type Manager, z } from "pintle";
import type { Client } from "pintle/client";
import { migrateStoredVersions } from "pintle/internal/resource";
import { CustomResourceDefinition } from "pintle/kinds/apiextensions/v1";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { main } from "../../packages/cli/src/main.ts";
import { isEstablished, NAMESPACE, registerWebhooks, startOperator } from "./operator.ts";
import { SERVERS, type WebhookServer } from "./servers.ts";
import { Widget, WidgetV1 } from "./widget.ts";

const DEFINITION = "widgets.webhooks.example.com";
const OBJECTS = 20;

async function pintle(...words: string[]): Promise<string> {
  let output = "";
  const append = (text: string) => {
    output += text;
  };
  await main(words, { out: append, err: append, tty: false, cwd: process.cwd(), signal: AbortSignal.timeout(30_000) });
  return output;
}

describe.each(SERVERS)("conversion on %s", (_, startServer) => {
  let server: WebhookServer;
  let client: Client;
  let manager: Manager | undefined;
  beforeAll(async () => {
    server = await startServer();
    client = await server.connect();
    await client.create(CustomResourceDefinition, WidgetV1.crd() as never);
    await client.waitFor(CustomResourceDefinition, { name: DEFINITION }, isEstablished, { timeout: 20_000 });
    for (let i = 0; i < OBJECTS; i++) {
      const metadata = { name: `old-${i}`, namespace: NAMESPACE, labels: { i: String(i) } };
      const write = () => client.create(WidgetV1, { metadata, spec: { size: String(i), image: `a:${i}` } });
      // A CRD may be established a moment before its objects are served.
      await vi.waitFor(write, { timeout: 20_000 });
    }
  });
  afterAll(async () => {
    await manager?.stop();
    await client?.close();
    await server?.stop();
  });

  const seen = new Set<string>();
  const watching = controller(Widget, {
    name: "widgets",
    reconcile({ object }) {
      seen.add(`${object.metadata.name} ${object.spec.replicas}`);
    },
  });
  let port = 0;

  test("an operator with three versions starts although all objects are stored in the oldest: webhooks start before caches", async () => {
    const first = startOperator({ client, resources: [Widget] });
    await first.ready;
    port = first.ports.webhooks!;
    await registerWebhooks(client, port, [], [Widget]);
    await vi.waitFor(() => client.get(Widget, { name: "old-3", namespace: NAMESPACE }), { timeout: 20_000 });
    await first.stop();

    // No conversion webhook is running now; the next operator must serve it before its first list.
    const manager = startOperator({ client, controllers: [watching], resources: [Widget], port });
    await manager.ready;
    await expect.poll(() => seen.size, { timeout: 20_000 }).toBe(OBJECTS);
    expect(seen).toContain("old-7 7");
    await manager.stop();
  });

  test("clients of v1, v2 and v3 read and write the same objects", async () => {
    manager = startOperator({ client, resources: [Widget], port });
    await manager.ready;
    const ref = { name: "old-3", namespace: NAMESPACE };
    expect((await client.get(Widget, ref)).spec).toEqual({ replicas: 3, image: { name: "a", tag: "3" } });
    expect((await client.get(Widget.at.v2, ref)).spec).toEqual({ size: 3, image: "a:3" });
    expect((await client.get(Widget.at.v1, ref)).spec).toEqual({ size: "3", image: "a:3" });
    await client.patch(Widget.at.v1, ref, { merge: { spec: { size: "4" } } });
    expect((await client.get(Widget.at.v2, ref)).spec).toEqual({ size: 4, image: "a:3" });
    await client.patch(Widget.at.v2, ref, { merge: { spec: { tier: "gold", image: "b:9" } } });
    expect((await client.get(Widget, ref)).spec).toEqual({ replicas: 4, image: { name: "b", tag: "9" }, tier: "gold" });
    await client.status.patch(Widget, ref, { merge: { status: { ready: 2 } } });
    expect((await client.get(Widget.at.v1, ref)).status).toEqual({ ready: "2" });
    const listed = await client.list(Widget.at.v2, { namespace: NAMESPACE });
    expect(listed.items).toHaveLength(OBJECTS);
    expect(listed.items.every(({ apiVersion, spec }) => apiVersion === "webhooks.example.com/v2" && typeof spec.size === "number")).toBe(
      true,
    );
    // Metadata is shared by all versions.
    expect((await client.get(Widget, ref)).metadata.labels).toEqual({ i: "3" });
  });

  test("after a migration the old versions can be removed", async () => {
    const before = await client.get(CustomResourceDefinition, { name: DEFINITION });
    expect(before.status?.storedVersions).toEqual(["v1", "v3"]);
    const versions = new Map((await client.list(Widget)).items.map(({ metadata }) => [metadata.name, metadata.resourceVersion]));
    let progressCalls = 0;
    const migration = await migrateStoredVersions(client, DEFINITION, { progress: () => progressCalls++ });
    expect(migration).toEqual({ definition: DEFINITION, version: "v3", dropped: ["v1"], rewritten: OBJECTS });
    expect(progressCalls).toBe(OBJECTS);
    const rewritten = (await client.list(Widget)).items.filter(({ metadata }) => metadata.resourceVersion !== versions.get(metadata.name));
    // One was already stored in the new version.
    expect(rewritten).toHaveLength(OBJECTS - 1);
    expect((await client.get(CustomResourceDefinition, { name: DEFINITION })).status?.storedVersions).toEqual(["v3"]);
    expect(await migrateStoredVersions(client, DEFINITION)).toMatchObject({ dropped: [], rewritten: 0 });
    expect(await pintle("migrate", "Widget", "--kubeconfig", server.kubeconfig)).toBe(
      `${DEFINITION}: all objects are already stored as v3\n`,
    );
    expect(await pintle("migrate", "Vassal", "--kubeconfig", server.kubeconfig)).toContain(`the cluster has no custom resource "Vassal"`);

    // Without a conversion webhook, and without the old versions, every object is still readable.
    await manager?.stop();
    manager = undefined;
    const { spec } = await client.get(CustomResourceDefinition, { name: DEFINITION });
    const now = { versions: spec.versions.filter(({ name }) => name === "v3"), conversion: { strategy: "None", webhook: null } };
    await client.patch(CustomResourceDefinition, { name: DEFINITION }, { merge: { spec: now } });
    const isReadable = async () =>
      expect((await client.list(Widget)).items.map((each) => each.spec.replicas).sort((a, b) => a - b)).toEqual([
        0,
        1,
        2,
        4,
        4,
        ...Array.from({ length: OBJECTS - 5 }, (_, i) => i + 5),
      ]);
    await vi.waitFor(isReadable, { timeout: 20_000 });
  });

  test("an operator that lacks a stored version reports it at the start", async () => {
    const Forgetful = WidgetV1.older({
      version: "v0",
      spec: z.object({ i: z.string() }),
      toHub: ({ spec }) => ({ spec: { image: spec.i } }),
      fromHub: ({ spec }) => ({ spec: { i: spec.image } }),
    });
    const stranger = startOperator({ client, resources: [Forgetful] });
    await expect(stranger.ready).rejects.toThrow(/Widget: objects are stored as v3, and no conversion exists from there: add \.older/);
    await stranger.stop();
  });
});
