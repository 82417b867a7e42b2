import type { Transport } from "pintle/client";
import { expect, test } from "vitest";
import { startCluster } from "../../src/index.ts";

const RBAC = "/apis/rbac.authorization.k8s.io/v1";
const REVIEWS = "/apis/authorization.k8s.io/v1";
const ana = { name: "ana", groups: ["system:authenticated"] };
const pods = "/api/v1/namespaces/default/pods";

const createRequester =
  (transport: Transport) =>
  async (
    method: "GET" | "POST" | "PUT",
    path: string,
    body?: object,
    headers: Record<string, string> = {},
  ): Promise<{ status: number; body: any }> => {
    const response = await transport.request({ method, path, body, headers });
    return { status: response.status, body: await response.json() };
  };

test("denies access without a role and allows it from the first request after the role is bound", async () => {
  await using cluster = await startCluster({ without: true });
  const admin = createRequester(cluster.transport);
  const as = createRequester(cluster.transportAs(ana));
  expect((await as("GET", pods)).status).toBe(403);
  const rules = [{ apiGroups: [""], resources: ["pods"], verbs: ["list"] }];
  await admin("POST", `${RBAC}/namespaces/default/roles`, { metadata: { name: "r" }, rules });
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "r" };
  const subjects = [{ kind: "User", name: "ana" }];
  await admin("POST", `${RBAC}/namespaces/default/rolebindings`, { metadata: { name: "b" }, roleRef, subjects });
  expect((await as("GET", pods)).status).toBe(200);
  await admin("PUT", `${RBAC}/namespaces/default/roles/r`, { metadata: { name: "r" }, rules: [] });
  expect((await as("GET", pods)).status).toBe(403);
});

test("impersonates users in in-process requests", async () => {
  await using cluster = await startCluster({ without: true });
  const headers = { "impersonate-user": "ana", "impersonate-group": "dev" };
  const { body } = await createRequester(cluster.transport)("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", {}, headers);
  expect(body.status.userInfo).toEqual({ username: "ana", groups: ["dev", "system:authenticated"] });
  const refused = await createRequester(cluster.transportAs(ana))("GET", pods, undefined, { "impersonate-user": "root" });
  expect(refused).toMatchObject({ status: 403, body: { message: expect.stringContaining("cannot impersonate-on:user-info:list") } });
});

test("allows every request with AlwaysAllow, and reports it in reviews", async () => {
  await using cluster = await startCluster({ without: true, authorizationMode: "AlwaysAllow" });
  const as = createRequester(cluster.transportAs({ name: "system:anonymous", groups: ["system:unauthenticated"] }));
  expect((await as("GET", "/api/v1/secrets")).status).toBe(200);
  const rules = [{ apiGroups: ["*"], resources: ["*"], verbs: ["*"] }];
  expect((await as("POST", `${RBAC}/clusterroles`, { metadata: { name: "all" }, rules })).status).toBe(201);
  const review = { spec: { resourceAttributes: { verb: "delete", resource: "nodes" } } };
  expect((await as("POST", `${REVIEWS}/selfsubjectaccessreviews`, review)).body.status).toEqual({ allowed: true });
  const rulesReview = await as("POST", `${REVIEWS}/selfsubjectrulesreviews`, { spec: { namespace: "default" } });
  expect(rulesReview.body.status.resourceRules).toEqual([{ apiGroups: ["*"], resources: ["*"], verbs: ["*"] }]);
});

test("serves bootstrap objects as they are stored", async () => {
  await using cluster = await startCluster({ without: true });
  const get = createRequester(cluster.transport);
  let seen = 0;
  for (const { name: group, versions } of cluster.server.registry.groups()) {
    for (const { resources, version } of versions) {
      for (const { plural, storage, verbs, computeObjects } of resources) {
        if (!verbs.includes("list") || computeObjects !== undefined || storage.version !== version || storage.conversion !== undefined)
          continue;
        const { body } = await get("GET", `${group === "" ? "/api" : `/apis/${group}`}/${version}/${plural}`);
        const { entries } = await cluster.server.store.range(`${storage.prefix}/`);
        expect(body.items).toEqual(entries.map(({ value: { apiVersion: _version, kind: _kind, ...rest } }) => rest));
        seen += entries.length;
      }
    }
  }
  expect(seen).toBe((await cluster.server.store.range("/registry/")).entries.length);
});
