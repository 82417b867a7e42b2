import { AlreadyExists } from "pintle/client";
import { ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding } from "pintle/kinds/admissionregistration/v1";
import { ConfigMap, Namespace } from "pintle/kinds/core/v1";
import { seededRandom, virtualClock } from "pintle/testing";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type Cluster, startCluster } from "../../src/index.ts";
import { type AuditLogEntry, createAuditLog } from "../../src/interceptors/index.ts";

const namespace = "default";
let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster({ clock: virtualClock("2026-01-01T00:00:00Z"), random: seededRandom(1), without: true, plainHttp: true });
});
afterAll(() => cluster.stop());
beforeEach(() => cluster.journal.clear());

test("records user, verb, object and outcome of each request", async () => {
  const client = cluster.client({ fieldManager: "robot" });
  const made = await client.create(ConfigMap, { metadata: { generateName: "a-", namespace } });
  await client.apply(ConfigMap, { metadata: { name: made.metadata.name, namespace }, data: { a: "1" } }, { dryRun: true });
  await expect(client.create(Namespace, { metadata: { name: "default" } })).rejects.toThrow(AlreadyExists);
  await client.list(ConfigMap, { namespace });
  const [create, apply, refused, list] = cluster.journal.entries;
  expect(create).toMatchObject({
    at: Date.parse("2026-01-01T00:00:00Z"),
    user: "kubernetes-admin",
    verb: "create",
    resource: "configmaps",
    namespace,
    name: made.metadata.name,
    fieldManager: "robot",
    code: 201,
    reason: "",
    dryRun: false,
    revision: made.metadata.resourceVersion,
  });
  expect(apply).toMatchObject({ verb: "patch", name: made.metadata.name, dryRun: true, code: 200 });
  expect(refused).toMatchObject({
    verb: "create",
    resource: "namespaces",
    name: "default",
    code: 409,
    reason: "AlreadyExists",
    revision: "",
  });
  expect(list).toMatchObject({ verb: "list", resource: "configmaps", name: "", fieldManager: "", code: 200 });
});

test("records impersonation over HTTP", async () => {
  const answer = await fetch(`${cluster.plainUrl}/api/v1/namespaces/default/configmaps`, { headers: { "impersonate-user": "jane" } });
  expect(answer.status).toBe(403);
  await fetch(`${cluster.plainUrl}/version`);
  expect(cluster.journal.entries).toMatchObject([
    { user: "jane", impersonatedBy: "kubernetes-admin", verb: "list", resource: "configmaps", code: 403, reason: "Forbidden" },
    { user: "kubernetes-admin", verb: "get", resource: "", path: "/version", code: 200 },
  ]);
});

test("records audit annotations of policies", async () => {
  const client = cluster.client();
  const policyName = "notes";
  const rule = { operations: ["CREATE" as const], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] };
  await client.create(ValidatingAdmissionPolicy, {
    metadata: { name: policyName },
    spec: {
      matchConstraints: { resourceRules: [rule] },
      auditAnnotations: [{ key: "size", valueExpression: "'it is ' + object.data.size" }],
    },
  });
  await client.create(ValidatingAdmissionPolicyBinding, {
    metadata: { name: policyName },
    spec: { policyName, validationActions: ["Audit"] },
  });
  await client.create(ConfigMap, { metadata: { name: "noted", namespace }, data: { size: "3" } });
  expect(cluster.journal.matching({ name: "noted" })).toMatchObject([{ code: 201, annotations: { "notes/size": "it is 3" } }]);
  await client.delete(ValidatingAdmissionPolicy, { name: policyName });
});

test("finds entries by any property and formats them as text", async () => {
  const client = cluster.client({ fieldManager: "robot" });
  await client.create(ConfigMap, { metadata: { name: "b", namespace } });
  await client.patch(ConfigMap, { name: "b", namespace }, { merge: { data: { b: "1" } } });
  await expect(client.status.patch(Namespace, { name: "nowhere" }, { merge: {} })).rejects.toThrow();
  const { journal } = cluster;
  expect(journal.matching({ verb: ["create", "patch"], resource: "configmaps" })).toHaveLength(2);
  expect(journal.matching({ resource: "namespaces" })).toEqual([]);
  expect(journal.matching({ resource: "namespaces/status", code: 404 })).toHaveLength(1);
  expect(journal.matching({ name: /^b$/, reason: "" })).toHaveLength(2);
  expect(journal.text(2)).toBe(
    [
      "00:00:00.000 kubernetes-admin (robot): patch configmaps default/b -> 200",
      "00:00:00.000 kubernetes-admin (robot): patch namespaces/status nowhere -> 404 NotFound",
    ].join("\n"),
  );
});

test("keeps the last entries only", () => {
  const kept = createAuditLog(3);
  for (let i = 0; i < 100; i++) kept.write(auditLogEntry({ name: String(i) }));
  expect(kept.entries.map(({ name }) => name)).toEqual(["97", "98", "99"]);
});

test("keeps fewer entries where their paths are long", () => {
  const kept = createAuditLog(1000, 100_000);
  for (let i = 0; i < 100; i++) kept.write(auditLogEntry({ name: String(i), path: "/".repeat(10_000) }));
  expect(kept.entries.length).toBeLessThan(10);
  expect(kept.entries.at(-1)?.name).toBe("99");
});

function auditLogEntry(fields: Partial<AuditLogEntry>): AuditLogEntry {
  const texts = { id: "", path: "", user: "", name: "", namespace: "", fieldManager: "", message: "" };
  return { ...texts, warnings: [], commits: [], ...fields } as unknown as AuditLogEntry;
}
