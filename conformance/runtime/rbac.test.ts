import { logLines, permissions, start } from "pintle";
import { type Client, connect } from "pintle/client";
import { ClusterRole, ClusterRoleBinding } from "pintle/kinds/rbac/v1";
import { systemClock } from "pintle/queue";
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

test("idea 15, 21 the derived rules are enough and none too many: without one of them its absence is named, with it the operator goes on", async () => {
  const bundle = bundles();
  const { work } = permissions([bundle]);
  const isMissing = (rule: (typeof work)[number]) => rule.resources[0] === "configmaps";
  await grant(work.map((rule) => (isMissing(rule) ? { ...rule, verbs: rule.verbs.filter((verb) => verb !== "watch") } : rule)));
  const lines: any[] = [];
  const logger = logLines({ clock: systemClock, write: (line) => lines.push(JSON.parse(line)) });
  const mine = await connect({ kubeconfig: plane.kubeconfig, impersonate: { user: USER }, onWarning: () => {} });
  const manager = start({ controllers: [bundle], client: mine, logger });
  const ref = { name: "bundle", namespace: "default" };
  await client.apply(Bundle, { metadata: ref, spec: {} });
  await expect
    .poll(() => lines.map((line) => line.message).join("\n"), { timeout: 20_000 })
    .toMatch(/ConfigMap: not allowed to watch configmaps: grant get, list and watch on it/);
  expect(manager.health().find(({ kind }) => kind.kind === "ConfigMap")).toMatchObject({ synced: false, fresh: false });

  await grant(work);
  await manager.ready;
  await client.wait(Bundle, ref, (it) => it.status?.observedGeneration === it.metadata.generation, { timeout: 60_000 });
  expect(lines.filter((line) => line.level === "error")).toEqual([]);
  // Deletion needs its rights too: the finalizer, and the children that no owner reference reaches.
  await client.delete(Bundle, ref);
  await client.waitGone(Bundle, ref, { timeout: 60_000 });
  expect(lines.filter((line) => line.level === "error")).toEqual([]);
  await manager.stop();
  await mine.close();
});
