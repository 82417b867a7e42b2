import { createLogger, startManager } from "pintle";
import { type Client, connect } from "pintle/client";
import { systemClock } from "pintle/internal/clock";
import { derivePermissions } from "pintle/internal/manager";
import { ClusterRole, ClusterRoleBinding } from "pintle/kinds/rbac/v1";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ControlPlane, startControlPlane } from "../real/index.ts";
import { Bundle, bundles } from "./bundle.ts";
import { install } from "./servers.ts";

let plane: ControlPlane;
let client: Client;
beforeAll(async () => {
  plane = await startControlPlane({ controllerManager: true });
  client = await connect({ kubeconfig: plane.kubeconfig, onWarning: () => {} });
  await install(client, Bundle);
});
afterAll(async () => {
  await client?.close();
  await plane?.stop();
});

const USER = "operator";
async function grant(rules: readonly object[]): Promise<void> {
  await client.apply(ClusterRole, { metadata: { name: USER }, rules } as never, { force: true });
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: USER };
  const subjects = [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: USER }];
  await client.apply(ClusterRoleBinding, { metadata: { name: USER }, roleRef, subjects }, { force: true });
}

test("RT-68, RT-74 derived RBAC rules are sufficient and necessary: the operator reports a missing rule and resumes once it is granted", async () => {
  const bundle = bundles();
  const { watchedNamespaces } = derivePermissions([bundle]);
  const isMissing = (rule: (typeof watchedNamespaces)[number]) => rule.resources[0] === "configmaps";
  await grant(
    watchedNamespaces.map((rule) => (isMissing(rule) ? { ...rule, verbs: rule.verbs.filter((verb) => verb !== "watch") } : rule)),
  );
  const lines: any[] = [];
  const logger = createLogger({ clock: systemClock, write: (line) => lines.push(JSON.parse(line)) });
  const operatorClient = await connect({ kubeconfig: plane.kubeconfig, impersonate: { user: USER }, onWarning: () => {} });
  const manager = startManager({ controllers: [bundle], client: operatorClient, logger });
  const ref = { name: "bundle", namespace: "default" };
  await client.apply(Bundle, { metadata: ref, spec: {} });
  await expect
    .poll(() => lines.map((line) => line.message).join("\n"), { timeout: 20_000 })
    .toMatch(/ConfigMap: not allowed to watch configmaps: grant get, list and watch on it/);
  expect(manager.health().find(({ kind }) => kind.kind === "ConfigMap")).toMatchObject({ isSynced: false, isFresh: false });

  await grant(watchedNamespaces);
  await manager.ready;
  await client.waitFor(Bundle, ref, (it) => it.status?.observedGeneration === it.metadata.generation, { timeout: 60_000 });
  expect(lines.filter((line) => line.level === "error")).toEqual([]);
  // Deletion needs its rights too: the finalizer, and the children that have no owner reference.
  await client.delete(Bundle, ref);
  await client.waitForDeletion(Bundle, ref, { timeout: 60_000 }).catch((error: unknown) => {
    throw new Error(`${error}; the operator logged:\n${lines.map((line) => JSON.stringify(line)).join("\n")}`);
  });
  expect(lines.filter((line) => line.level === "error")).toEqual([]);
  await manager.stop();
  await operatorClient.close();
});
