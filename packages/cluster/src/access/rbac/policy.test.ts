import type { JsonObject } from "pintle/kinds";
import { expect, test } from "vitest";
import type { UserInfo } from "../../api/index.ts";
import { createMemoryStore, type ObjectStore } from "../../store/index.ts";
import { createRbacAuthorizer } from "./authorizer.ts";
import { watchRbacPolicy } from "./policy.ts";

const ana: UserInfo = { name: "ana", groups: ["dev", "system:authenticated"] };
const PODS = { type: "resource", verb: "get", group: "", resource: "pods", subresource: "", name: "x" } as const;

async function put(store: ObjectStore, key: string, object: object): Promise<void> {
  const name = key.split("/").at(-1);
  const namespace = key.startsWith("/registry/role") ? key.split("/").at(-2) : undefined;
  const metadata = namespace === undefined ? { name } : { name, namespace };
  const revision = (await store.get(key))?.revision ?? 0;
  await store.txn(key, revision, { put: { metadata, ...object } as unknown as JsonObject });
}
async function remove(store: ObjectStore, key: string): Promise<void> {
  await store.txn(key, (await store.get(key))?.revision ?? 0, { delete: true });
}
const rules = (...verbs: string[]) => ({ rules: [{ apiGroups: [""], resources: ["pods"], verbs }] });
const binding = (kind: string, role: string, ...subjects: object[]) => ({ roleRef: { kind, name: role }, subjects });

async function authorizer(store: ObjectStore) {
  const { authorize } = createRbacAuthorizer(await watchRbacPolicy(store));
  return (namespace: string, user = ana) => authorize({ user, info: { ...PODS, namespace } }).allowed;
}

test("applies a change of roles and bindings to the next authorization", async () => {
  const store = createMemoryStore();
  const may = await authorizer(store);
  expect(may("a")).toBe(false);
  await put(store, "/registry/rolebindings/a/b", binding("Role", "r", { kind: "User", name: "ana" }));
  expect(may("a")).toBe(false);
  await put(store, "/registry/roles/a/r", rules("get"));
  expect([may("a"), may("b"), may("")]).toEqual([true, false, false]);
  await put(store, "/registry/roles/a/r", rules("list"));
  expect(may("a")).toBe(false);
  await put(store, "/registry/clusterroles/c", rules("*"));
  await put(store, "/registry/clusterrolebindings/everywhere", binding("ClusterRole", "c", { kind: "Group", name: "dev" }));
  expect([may("a"), may("b"), may("")]).toEqual([true, true, true]);
  await put(store, "/registry/clusterrolebindings/everywhere", binding("ClusterRole", "c", { kind: "Group", name: "ops" }));
  expect(may("b")).toBe(false);
  await put(store, "/registry/clusterrolebindings/everywhere", binding("ClusterRole", "c", { kind: "Group", name: "dev" }));
  expect(may("b")).toBe(true);
  await remove(store, "/registry/clusterrolebindings/everywhere");
  expect(may("b")).toBe(false);
});

test("includes roles and bindings stored before the watch started", async () => {
  const store = createMemoryStore();
  await put(store, "/registry/clusterroles/c", rules("get"));
  await put(store, "/registry/clusterrolebindings/all", binding("ClusterRole", "c", { kind: "User", name: "ana" }));
  expect(await (await authorizer(store))("a")).toBe(true);
});

test("limits a ClusterRole bound by a RoleBinding to the namespace, and resolves service accounts as users", async () => {
  const store = createMemoryStore();
  const may = await authorizer(store);
  await put(store, "/registry/clusterroles/c", rules("get"));
  await put(
    store,
    "/registry/rolebindings/a/b",
    binding("ClusterRole", "c", { kind: "ServiceAccount", name: "robot" }, { kind: "ServiceAccount", name: "robot", namespace: "b" }),
  );
  const robot = (home: string): UserInfo => ({ name: `system:serviceaccount:${home}:robot`, groups: [] });
  expect([may("a", robot("a")), may("a", robot("b")), may("b", robot("b")), may("a", robot("c"))]).toEqual([true, true, false, false]);
});

test("accepts duplicate subjects and bindings without subjects", async () => {
  const store = createMemoryStore();
  const may = await authorizer(store);
  await put(store, "/registry/clusterroles/c", { rules: null });
  await put(store, "/registry/clusterrolebindings/none", { roleRef: { kind: "ClusterRole", name: "c" } });
  await put(
    store,
    "/registry/clusterrolebindings/x",
    binding("ClusterRole", "c", { kind: "User", name: "ana" }, { kind: "User", name: "ana" }),
  );
  expect(may("a")).toBe(false);
  await remove(store, "/registry/clusterrolebindings/x");
  await put(store, "/registry/clusterroles/c", rules("get"));
  expect(may("a")).toBe(false);
});
