/** Controllers whose results are in a status: type checks of policies and outcomes of certificate signing requests, on both servers. */
import { X509Certificate } from "node:crypto";
import { type Cluster, startCluster } from "@pintle/cluster";
import { type Client, connect } from "pintle/client";
import { ValidatingAdmissionPolicy } from "pintle/kinds/admissionregistration/v1";
import { CertificateSigningRequest } from "pintle/kinds/certificates/v1";
import { afterAll, beforeAll, expect, test } from "vitest";
import { REQUESTS } from "../../packages/cluster/test/controllers/certificate-requests.ts";
import { type ControlPlane, startControlPlane } from "../real/index.ts";

let real: ControlPlane;
let embedded: Cluster;
let clients: { readonly theirs: Client; readonly ours: Client };
beforeAll(async () => {
  real = await startControlPlane({ controllerManager: true });
  embedded = await startCluster({ nodes: 0 });
  clients = { theirs: await connect({ kubeconfig: real.kubeconfig }), ours: embedded.client() };
});
afterAll(async () => {
  await clients?.theirs.close();
  await Promise.all([real?.stop(), embedded?.stop()]);
});

/** Does the same on both servers; returns what kube-apiserver has, after comparing the results. */
async function compare<T>(run: (client: Client) => Promise<T>): Promise<T> {
  const [theirs, ours] = await Promise.all([run(clients.theirs), run(clients.ours)]);
  expect(ours).toEqual(theirs);
  return theirs;
}

const within = { timeout: 60_000 };

test.each([
  ["one-kind", ["apps"], ["deployments"], ["object.spec.replicas <= 5", "object.spec.replica <= 5", "variables.count == 'a'"]],
  [
    "some-kinds",
    ["", "apps"],
    ["pods", "pods/status", "services", "secrets"],
    ["object.spec.ports[0].targetPort == 80", "oldObject.a == 1"],
  ],
  ["quantities", [""], ["pods"], ["object.spec.containers.all(c, c.resources.limits['cpu'] == '1')", "object.metadata.labels['a'] == 'b'"]],
  ["parameters", [""], ["configmaps"], ["params.data['a'] == object.data['a']", "params.nothing == 1"]],
  ["wildcards", ["*"], ["*"], ["object.nothing == 1"]],
])("type checks of a policy: %s", async (name, apiGroups, resources, expressions) => {
  const status = await compare(async (client) => {
    await client.create(ValidatingAdmissionPolicy, {
      metadata: { name },
      spec: {
        matchConstraints: { resourceRules: [{ apiGroups, apiVersions: ["v1"], operations: ["CREATE"], resources }] },
        paramKind: { apiVersion: "v1", kind: "ConfigMap" },
        variables: [{ name: "count", expression: "object.spec.replicas" }],
        validations: expressions.map((expression) => ({ expression })),
      },
    });
    const isChecked = (policy: ValidatingAdmissionPolicy) => policy.status.observedGeneration === policy.metadata.generation;
    return (await client.waitFor(ValidatingAdmissionPolicy, { name }, isChecked, within)).status;
  });
  expect(status.typeChecking).toBeDefined();
});

const CLIENT = "kubernetes.io/kube-apiserver-client";
const KUBELET = "kubernetes.io/kube-apiserver-client-kubelet";

test.each([
  ["client", REQUESTS.developer, CLIENT, ["client auth", "digital signature"]],
  ["short", REQUESTS.developer, CLIENT, ["client auth"], 600],
  ["long", REQUESTS.developer, CLIENT, ["client auth"], 2 ** 31 - 1],
  ["server", REQUESTS.developer, CLIENT, ["server auth"]],
  ["no-usage", REQUESTS.developer, CLIENT, ["digital signature"]],
  ["not-kubelet", REQUESTS.developer, KUBELET, ["client auth", "digital signature"]],
  ["kubelet-usages", REQUESTS.node, KUBELET, ["client auth"]],
  ["serving-names", REQUESTS.node, "kubernetes.io/kubelet-serving", ["server auth", "digital signature"]],
] as const)(
  "outcome of an approved certificate signing request: %s",
  async (name, request, signerName, usages, expirationSeconds?: number) => {
    await compare(async (client) => {
      await client.create(CertificateSigningRequest, {
        metadata: { name },
        spec: { request, signerName, usages, expirationSeconds } as never,
      });
      const created = await client.get(CertificateSigningRequest, { name });
      const conditions = [{ type: "Approved", status: "True", reason: "Test", message: "approved" }];
      await client.subresource("approval").replace(CertificateSigningRequest, { name }, { ...created, status: { conditions } } as never);
      const isDone = ({ status }: CertificateSigningRequest) => status.certificate !== undefined || status.conditions?.length === 2;
      const { status } = await client.waitFor(CertificateSigningRequest, { name }, isDone, within);
      return {
        conditions: status.conditions?.map(({ type, status: value, reason, message }) => [type, value, reason, message]),
        certificate: status.certificate === undefined ? undefined : describeCertificate(status.certificate),
      };
    });
  },
);

function describeCertificate(base64: string) {
  const { subject, subjectAltName, keyUsage, ca, validFrom, validTo } = new X509Certificate(Buffer.from(base64, "base64"));
  // The authorities differ in age, and a certificate does not outlive its authority.
  const seconds = Math.min((Date.parse(validTo) - Date.parse(validFrom)) / 1000, 20 * 24 * 3600);
  return { subject, subjectAltName, keyUsage, ca, seconds };
}
