import { seeded } from "pintle/queue";
import { expect, test } from "vitest";
import { metadataOf } from "../api/index.ts";
import { memoryStore, type Store } from "../store/index.ts";
import { announce, bootstrap } from "./bootstrap.ts";

const birth = (seed = 1) => ({ now: Date.parse("2026-03-01T12:00:00.250Z"), random: seeded(seed) });
const facts = { clientAuthority: '-----BEGIN CERTIFICATE-----\n"x"\n', port: 6443 };
const all = async (store: Store) =>
  (await store.range("/registry/")).entries.map((entry) => [entry.key, entry.revision, entry.value] as const);

async function fresh(seed?: number): Promise<Store> {
  const store = memoryStore();
  const born = birth(seed);
  await bootstrap(store, born);
  await announce(store, { ...born, ...facts });
  return store;
}
const get = async (store: Store, key: string) => (await store.get(key))?.value as any;

test("objects are born now, each with a uid, by the cluster's clock and random source", async () => {
  const objects = (await all(await fresh())).map(([, , value]) => value);
  expect(objects.length).toBeGreaterThan(180);
  expect(new Set(objects.map((each) => metadataOf(each).uid)).size).toBe(objects.length);
  for (const each of objects) {
    expect(metadataOf(each)).toMatchObject({ creationTimestamp: "2026-03-01T12:00:00Z", resourceVersion: expect.any(String) });
    for (const { time } of metadataOf(each).managedFields ?? []) expect(time).toBe("2026-03-01T12:00:00Z");
  }
  expect(JSON.stringify(objects)).not.toMatch(/"<|<(now|instant|today|port|uid|authority)>/);
});

test("the same seed gives the same cluster", async () => {
  expect(await all(await fresh(7))).toEqual(await all(await fresh(7)));
  expect(await all(await fresh(7))).not.toEqual(await all(await fresh(8)));
});

test("it says where it is reached and whom it trusts", async () => {
  const store = await fresh();
  expect((await get(store, "/registry/services/specs/default/kubernetes")).spec.ports[0].targetPort).toBe(6443);
  expect((await get(store, "/registry/services/endpoints/default/kubernetes")).subsets[0].ports[0].port).toBe(6443);
  const trusted = await get(store, "/registry/configmaps/kube-system/extension-apiserver-authentication");
  expect(trusted.data["client-ca-file"]).toBe(facts.clientAuthority);
  const { entries } = await store.range("/registry/leases/kube-system/");
  expect(entries[0]?.value).toMatchObject({ spec: { renewTime: "2026-03-01T12:00:00.250000Z" } });
});

test("a store that lived before keeps what it has, gets back what it lost, and hears of the new port", async () => {
  const store = await fresh();
  const [view, edit] = ["/registry/clusterroles/view", "/registry/clusterroles/edit"];
  const edited = { ...(await get(store, view)), rules: [] };
  await store.txn(view, (await store.get(view))!.revision, { put: edited });
  await store.txn(edit, (await store.get(edit))!.revision, { delete: true });
  const service = await get(store, "/registry/services/specs/default/kubernetes");
  const before = store.currentRevision();

  const again = { ...birth(2), ...facts };
  await bootstrap(store, again);
  expect(store.currentRevision()).toBe(before + 1);
  expect((await get(store, view)).rules).toEqual([]);
  expect(await get(store, edit)).toBeDefined();

  await announce(store, { ...again, port: 7443 });
  const moved = await get(store, "/registry/services/specs/default/kubernetes");
  expect([moved.spec.ports[0].targetPort, moved.metadata.uid]).toEqual([7443, service.metadata.uid]);
});
