import { controller, type Manager, z } from "pintle";
import type { Client } from "pintle/client";
import { CustomResourceDefinition } from "pintle/kinds/apiextensions/v1";
import { migrateStoredVersions } from "pintle/resource";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { main } from "../../packages/cli/src/main.ts";
import { isEstablished, NAMESPACE, operator, register } from "./operator.ts";
import { SERVERS, type Server } from "./servers.ts";
import { Vessel, VesselV1 } from "./vessel.ts";

const DEFINITION = "vessels.webhooks.example.com";
const OBJECTS = 20;

async function pintle(...words: string[]): Promise<string> {
  let told = "";
  const say = (text: string) => {
    told += text;
  };
  await main(words, { out: say, err: say, tty: false, cwd: process.cwd(), signal: AbortSignal.timeout(30_000) });
  return told;
}

describe.each(SERVERS)("conversion on %s", (_, startServer) => {
  let server: Server;
  let client: Client;
  let manager: Manager | undefined;
  beforeAll(async () => {
    server = await startServer();
    client = await server.connect();
    await client.create(CustomResourceDefinition, VesselV1.crd() as never);
    await client.wait(CustomResourceDefinition, { name: DEFINITION }, isEstablished, { timeout: 20_000 });
    for (let i = 0; i < OBJECTS; i++) {
      const metadata = { name: `old-${i}`, namespace: NAMESPACE, labels: { i: String(i) } };
      const write = () => client.create(VesselV1, { metadata, spec: { size: String(i), image: `a:${i}` } });
      // A definition may be established a moment before its objects are served.
      await vi.waitFor(write, { timeout: 20_000 });
    }
  });
  afterAll(async () => {
    await manager?.stop();
    await client?.close();
    await server?.stop();
  });

  const seen = new Set<string>();
  const watching = controller(Vessel, {
    name: "vessels",
    reconcile({ object }) {
      seen.add(`${object.metadata.name} ${object.spec.replicas}`);
    },
  });
  let port = 0;

  test("an operator that knows three versions starts although all objects are stored in the oldest: webhooks come before caches", async () => {
    const first = operator({ client, resources: [Vessel] });
    await first.ready;
    port = first.ports.webhooks!;
    await register(client, port, [], [Vessel]);
    await vi.waitFor(() => client.get(Vessel, { name: "old-3", namespace: NAMESPACE }), { timeout: 20_000 });
    await first.stop();

    // Nobody is there to convert now; the next one must not wait for a list before it can answer.
    const manager = operator({ client, controllers: [watching], resources: [Vessel], port });
    await manager.ready;
    await expect.poll(() => seen.size, { timeout: 20_000 }).toBe(OBJECTS);
    expect(seen).toContain("old-7 7");
    await manager.stop();
  });

  test("v1, v2 and v3 read and write the same objects", async () => {
    manager = operator({ client, resources: [Vessel], port });
    await manager.ready;
    const ref = { name: "old-3", namespace: NAMESPACE };
    expect((await client.get(Vessel, ref)).spec).toEqual({ replicas: 3, image: { name: "a", tag: "3" } });
    expect((await client.get(Vessel.at.v2, ref)).spec).toEqual({ size: 3, image: "a:3" });
    expect((await client.get(Vessel.at.v1, ref)).spec).toEqual({ size: "3", image: "a:3" });
    await client.patch(Vessel.at.v1, ref, { merge: { spec: { size: "4" } } });
    expect((await client.get(Vessel.at.v2, ref)).spec).toEqual({ size: 4, image: "a:3" });
    await client.patch(Vessel.at.v2, ref, { merge: { spec: { tier: "gold", image: "b:9" } } });
    expect((await client.get(Vessel, ref)).spec).toEqual({ replicas: 4, image: { name: "b", tag: "9" }, tier: "gold" });
    await client.status.patch(Vessel, ref, { merge: { status: { ready: 2 } } });
    expect((await client.get(Vessel.at.v1, ref)).status).toEqual({ ready: "2" });
    const listed = await client.list(Vessel.at.v2, { namespace: NAMESPACE });
    expect(listed.items).toHaveLength(OBJECTS);
    expect(listed.items.every(({ apiVersion, spec }) => apiVersion === "webhooks.example.com/v2" && typeof spec.size === "number")).toBe(
      true,
    );
    // Metadata is everybody's.
    expect((await client.get(Vessel, ref)).metadata.labels).toEqual({ i: "3" });
  });

  test("after a migration the old versions can go", async () => {
    const before = await client.get(CustomResourceDefinition, { name: DEFINITION });
    expect(before.status?.storedVersions).toEqual(["v1", "v3"]);
    const versions = new Map((await client.list(Vessel)).items.map(({ metadata }) => [metadata.name, metadata.resourceVersion]));
    let told = 0;
    const done = await migrateStoredVersions(client, DEFINITION, { progress: () => told++ });
    expect(done).toEqual({ definition: DEFINITION, version: "v3", dropped: ["v1"], rewritten: OBJECTS });
    expect(told).toBe(OBJECTS);
    const rewritten = (await client.list(Vessel)).items.filter(({ metadata }) => metadata.resourceVersion !== versions.get(metadata.name));
    // One was already stored in the new version.
    expect(rewritten).toHaveLength(OBJECTS - 1);
    expect((await client.get(CustomResourceDefinition, { name: DEFINITION })).status?.storedVersions).toEqual(["v3"]);
    expect(await migrateStoredVersions(client, DEFINITION)).toMatchObject({ dropped: [], rewritten: 0 });
    expect(await pintle("migrate", "Vessel", "--kubeconfig", server.kubeconfig)).toBe(
      `${DEFINITION}: everything is stored as v3 already\n`,
    );
    expect(await pintle("migrate", "Vassal", "--kubeconfig", server.kubeconfig)).toContain("the cluster has no custom resource Vassal");

    // Without anybody who could convert, and without the old versions, everything is still there.
    await manager?.stop();
    manager = undefined;
    const { spec } = await client.get(CustomResourceDefinition, { name: DEFINITION });
    const now = { versions: spec.versions.filter(({ name }) => name === "v3"), conversion: { strategy: "None", webhook: null } };
    await client.patch(CustomResourceDefinition, { name: DEFINITION }, { merge: { spec: now } });
    const readable = async () =>
      expect((await client.list(Vessel)).items.map((each) => each.spec.replicas).sort((a, b) => a - b)).toEqual([
        0,
        1,
        2,
        4,
        4,
        ...Array.from({ length: OBJECTS - 5 }, (_, i) => i + 5),
      ]);
    await vi.waitFor(readable, { timeout: 20_000 });
  });

  test("an operator that lacks a version which is stored says so at the start", async () => {
    const Forgetful = VesselV1.older({
      version: "v0",
      spec: z.object({ i: z.string() }),
      toHub: ({ spec }) => ({ spec: { image: spec.i } }),
      fromHub: ({ spec }) => ({ spec: { i: spec.image } }),
    });
    const stranger = operator({ client, resources: [Forgetful] });
    await expect(stranger.ready).rejects.toThrow(/Vessel: objects are stored as v3, and nothing converts from there: chain \.older/);
    await stranger.stop();
  });
});
