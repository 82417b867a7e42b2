import { X509Certificate } from "node:crypto";
import type { Client } from "pintle/client";
import { seededRandom, virtualClock } from "pintle/internal/clock";
import { CertificateSigningRequest } from "pintle/kinds/certificates/v1";
import { ClusterRoleBinding } from "pintle/kinds/rbac/v1";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Cluster, startCluster } from "../../src/index.ts";
import { REQUESTS } from "./certificate-requests.ts";

let cluster: Cluster;
let client: Client;
beforeAll(async () => {
  cluster = await startCluster({ clock: virtualClock("2026-03-01T12:00:00Z"), random: seededRandom(1), nodes: 0 });
  client = cluster.client();
});
afterAll(() => cluster.stop());

const CLIENT = "kubernetes.io/kube-apiserver-client";
const KUBELET = "kubernetes.io/kube-apiserver-client-kubelet";

async function createRequest(name: string, spec: object, as = client): Promise<void> {
  await as.create(CertificateSigningRequest, {
    metadata: { name },
    spec: { usages: ["client auth", "digital signature"], ...spec } as never,
  });
}

async function approve(name: string): Promise<void> {
  const request = await client.get(CertificateSigningRequest, { name });
  const conditions = [{ type: "Approved", status: "True", reason: "Test", message: "approved" }];
  await client.subresource("approval").replace(CertificateSigningRequest, { name }, { ...request, status: { conditions } } as never);
}

const get = async (name: string) => {
  await cluster.settled();
  return client.get(CertificateSigningRequest, { name });
};

test("signs an approved client certificate, which authenticates against the authority of the cluster", async () => {
  await createRequest("jane", { request: REQUESTS.developer, signerName: CLIENT, expirationSeconds: 3600 });
  expect((await get("jane")).status).toEqual({});
  await approve("jane");
  const { status } = await get("jane");
  const certificate = new X509Certificate(Buffer.from(status.certificate as string, "base64"));
  expect(certificate.subject).toBe("O=developers\nCN=jane");
  expect([certificate.validFrom, certificate.validTo]).toEqual(["Mar  1 11:55:00 2026 GMT", "Mar  1 13:00:00 2026 GMT"]);
  expect(certificate.keyUsage).toEqual(["1.3.6.1.5.5.7.3.2"]);
});

test("fails an approved request that its signer does not allow", async () => {
  await createRequest("server", { request: REQUESTS.developer, signerName: CLIENT, usages: ["server auth"] });
  await createRequest("kubelet", { request: REQUESTS.developer, signerName: KUBELET });
  await approve("server");
  await approve("kubelet");
  const failed = (message: string) =>
    expect.arrayContaining([expect.objectContaining({ type: "Failed", status: "True", reason: "SignerValidationFailure", message })]);
  expect((await get("server")).status.conditions).toEqual(failed("invalid usage for client certificate: server auth"));
  expect((await get("kubelet")).status.conditions).toEqual(failed("subject organization is not system:nodes"));
});

test("approves and signs the client certificate of a kubelet whose user may request it", async () => {
  const user = { name: "system:bootstrap:abcdef", groups: ["system:bootstrappers", "system:authenticated"] };
  const kubelet = cluster.client({ user: { ...user, groups: [...user.groups, "system:masters"] } });
  await createRequest("node-a", { request: REQUESTS.node, signerName: KUBELET }, kubelet);
  const { status } = await get("node-a");
  expect(status.conditions).toEqual([
    expect.objectContaining({
      type: "Approved",
      reason: "AutoApproved",
      message: "Auto approving kubelet client certificate after SubjectAccessReview.",
    }),
  ]);
  expect(status.certificate).toBeDefined();
});

test("does not approve the request of a user without the right", async () => {
  await client.create(ClusterRoleBinding, {
    metadata: { name: "requesters" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "system:node-bootstrapper" },
    subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "somename" }],
  });
  const requester = cluster.client({ user: { name: "somename", groups: ["system:authenticated"] } });
  await createRequest("unapproved", { request: REQUESTS.node, signerName: KUBELET }, requester);
  expect((await get("unapproved")).status).toEqual({});
});

test("deletes requests an hour after the decision, and pending ones after a day", async () => {
  await cluster.advance(3_600_001);
  expect(await client.find(CertificateSigningRequest, { name: "jane" })).toBeUndefined();
  expect(await client.find(CertificateSigningRequest, { name: "unapproved" })).toBeDefined();
  await cluster.advance(23 * 3_600_000);
  expect(await client.find(CertificateSigningRequest, { name: "unapproved" })).toBeUndefined();
});
