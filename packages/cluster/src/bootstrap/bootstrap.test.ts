import { seededRandom } from "pintle/internal/clock";
import { expect, test } from "vitest";
import { getMetadata } from "../api/index.ts";
import { createMemoryStore, type ObjectStore } from "../store/index.ts";
import { createBootstrapObjects, publishServerObjects } from "./bootstrap.ts";

const bootstrapOptions = (seed = 1) => ({ now: Date.parse("2026-03-01T12:00:00.250Z"), random: seededRandom(seed) });
const facts = { clientAuthority: '-----BEGIN CERTIFICATE-----\n"x"\n', port: 6443 };
const listObjects = async (store: ObjectStore) =>
  (await store.range("/registry/")).entries.map((entry) => [entry.key, entry.revision, entry.value] as const);

async function fresh(seed?: number): Promise<ObjectStore> {
  const store = createMemoryStore();
  const born = bootstrapOptions(seed);
  await createBootstrapObjects(store, born);
  await publishServerObjects(store, { ...born, ...facts });
  return store;
}
const get = async (store: ObjectStore, key: string) => (await store.get(key))?.value as any;

test("creates objects with the cluster's time and unique uids from its random source", async () => {
  const objects = (await listObjects(await fresh())).map(([, , value]) => value);
  expect(objects.length).toBeGreaterThan(180);
  expect(new Set(objects.map((each) => getMetadata(each).uid)).size).toBe(objects.length);
  for (const each of objects) {
    expect(getMetadata(each)).toMatchObject({ creationTimestamp: "2026-03-01T12:00:00Z", resourceVersion: expect.any(String) });
    for (const { time } of getMetadata(each).managedFields ?? []) expect(time).toBe("2026-03-01T12:00:00Z");
  }
  expect(JSON.stringify(objects)).not.toMatch(/"<|<(now|instant|today|port|uid|authority)>/);
});

test("creates identical objects from the same seed", async () => {
  expect(await listObjects(await fresh(7))).toEqual(await listObjects(await fresh(7)));
  expect(await listObjects(await fresh(7))).not.toEqual(await listObjects(await fresh(8)));
});

test("publishes the server's port and client authority", async () => {
  const store = await fresh();
  expect((await get(store, "/registry/services/specs/default/kubernetes")).spec.ports[0].targetPort).toBe(6443);
  expect((await get(store, "/registry/services/endpoints/default/kubernetes")).subsets[0].ports[0].port).toBe(6443);
  const trusted = await get(store, "/registry/configmaps/kube-system/extension-apiserver-authentication");
  expect(trusted.data["client-ca-file"]).toBe(facts.clientAuthority);
  const { entries } = await store.range("/registry/leases/kube-system/");
  expect(entries[0]?.value).toMatchObject({ spec: { renewTime: "2026-03-01T12:00:00.250000Z" } });
});

test("keeps existing objects, recreates missing ones and updates the port after a restart", async () => {
  const store = await fresh();
  const [view, edit] = ["/registry/clusterroles/view", "/registry/clusterroles/edit"];
  const edited = { ...(await get(store, view)), rules: [] };
  await store.txn(view, (await store.get(view))!.revision, { put: edited });
  await store.txn(edit, (await store.get(edit))!.revision, { delete: true });
  const service = await get(store, "/registry/services/specs/default/kubernetes");
  const before = store.currentRevision();

  const again = { ...bootstrapOptions(2), ...facts };
  await createBootstrapObjects(store, again);
  expect(store.currentRevision()).toBe(before + 1);
  expect((await get(store, view)).rules).toEqual([]);
  expect(await get(store, edit)).toBeDefined();

  await publishServerObjects(store, { ...again, port: 7443 });
  const moved = await get(store, "/registry/services/specs/default/kubernetes");
  expect([moved.spec.ports[0].targetPort, moved.metadata.uid]).toEqual([7443, service.metadata.uid]);
});
