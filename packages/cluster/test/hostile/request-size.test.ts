import { expect, test } from "vitest";
import { startCluster } from "../../src/index.ts";
import { createRawClient, readCredentials } from "./raw-client.ts";

const GROUP = "size.example.com";
const CRD = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `blobs.${GROUP}` },
  spec: {
    group: GROUP,
    scope: "Namespaced",
    names: { plural: "blobs", kind: "Blob" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
      },
    ],
  },
};
const TOO_LARGE = {
  kind: "Status",
  apiVersion: "v1",
  metadata: {},
  status: "Failure",
  message: "etcdserver: request is too large",
  code: 500,
};

// The lengths and texts are those of kube-apiserver 1.36 with etcd.
test("objects that etcd would not take are refused as kube-apiserver does", async () => {
  await using cluster = await startCluster({ without: true, http: true });
  const client = createRawClient(readCredentials(cluster.kubeconfig));
  await client.json("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", CRD);
  const path = `/apis/${GROUP}/v1/namespaces/default/blobs`;
  await expect.poll(async () => (await client.json("GET", path)).kind).toBe("BlobList");
  const blob = (text: string) => ({ apiVersion: `${GROUP}/v1`, kind: "Blob", metadata: { name: "b" }, text });
  const create = (length: number) => client.json("POST", path, blob("x".repeat(length)));

  expect(await create(1_572_600)).toEqual(TOO_LARGE);
  expect(await create(2_200_000)).toMatchObject({
    code: 500,
    message: expect.stringMatching(
      /^rpc error: code = ResourceExhausted desc = trying to send message larger than max \(22003\d{2} vs. 2097152\)$/,
    ),
  });
  // It fits without managed fields.
  const created = await create(1_572_450);
  expect(created.kind).toBe("Blob");
  const { resourceVersion, managedFields } = created.metadata;
  expect(managedFields).toBeUndefined();
  const next = { ...blob("x".repeat(1_572_600)), metadata: { name: "b", resourceVersion } };
  expect(await client.json("PUT", `${path}/b`, next)).toEqual(TOO_LARGE);
  expect((await client.json("PUT", `${path}/b?dryRun=All`, next)).kind).toBe("Blob");
  expect((await client.json("GET", `${path}/b`)).metadata.resourceVersion).toBe(resourceVersion);

  // Built-in objects are stored as protobuf: escaped characters count as they are.
  const configMap = (data: string) =>
    client.json("POST", "/api/v1/namespaces/default/configmaps", { metadata: { name: "c" }, data: { data } });
  expect((await configMap("\u0001".repeat(400_000))).kind).toBe("ConfigMap");
  client.close();
});
