import { execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { startCluster } from "@pintle/cluster";
import type { JsonObject } from "pintle/kinds";
import { afterAll, beforeAll, expect, test } from "vitest";
import { getResourcePaths } from "../../packages/cluster/test/builtin/run-case.ts";
import { readCases } from "../../packages/cluster/test/builtin/suite-files.ts";
import { createHttpsRequester, type SendHttpsRequest } from "../../packages/cluster/test/store/https-requester.ts";
import { disableAdmissionPlugins } from "../builtin/admission.ts";
import { binary, type ControlPlane, startControlPlane } from "../real/index.ts";
import { type Etcd, startEtcd } from "./etcd.ts";

let real: ControlPlane;
let etcd: Etcd;
const stop: (() => Promise<unknown>)[] = [];
beforeAll(async () => {
  real = await startControlPlane({ disableAdmissionPlugins });
  etcd = await startEtcd();
  stop.push(
    () => real.stop(),
    async () => etcd[Symbol.asyncDispose](),
  );
});
afterAll(async () => {
  for (const each of stop) await each();
});

const realCtl = (...words: readonly string[]) =>
  execFileSync(binary("etcdctl"), ["--endpoints", real.etcd, ...words], { maxBuffer: 1 << 28, stdio: "pipe" }).toString();
const lines = (text: string) => text.split("\n").filter(Boolean);

/**
 * Keys that kube-apiserver writes for itself, not as objects: leases of its addresses and its peers, allocation bitmaps,
 * and events about itself.
 */
const ITS_OWN = /^\/registry\/(masterleases|peerserverleases|ranges|events\/default)\//;

const crd = (scope: "Namespaced" | "Cluster", plural: string): JsonObject => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `${plural}.example.com` },
  spec: {
    group: "example.com",
    scope,
    names: { plural, singular: plural.slice(0, -1), kind: scope, listKind: `${scope}List` },
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
  },
});

/** Creates one object of every kind that can be stored, in any version; custom resources count once. */
async function createEveryKind(send: SendHttpsRequest): Promise<string[]> {
  const refused: string[] = [];
  const namespace = "layout";
  await send("POST", "/api/v1/namespaces", { metadata: { name: namespace } });
  const createdObjects = new Map<string, JsonObject>();
  for (const suite of ["minimal", "others", "core", "workloads", "versions"]) {
    for (const { do: steps } of await readCases(suite)) {
      for (const step of steps) {
        if (!("create" in step)) continue;
        const { collection } = getResourcePaths(step.create, namespace);
        if (createdObjects.has(collection)) continue;
        const { status: code } = await send("POST", collection, step.create);
        if (code === 201) createdObjects.set(collection, step.create);
        else if (code !== 409 && code !== 422 && code !== 400) refused.push(`${collection} ${code}`);
      }
    }
  }
  for (const [scope, plural] of [
    ["Namespaced", "widgets"],
    ["Cluster", "gadgets"],
  ] as const) {
    await send("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", crd(scope, plural));
    const at = scope === "Namespaced" ? `/apis/example.com/v1/namespaces/${namespace}/${plural}` : `/apis/example.com/v1/${plural}`;
    const body = { apiVersion: "example.com/v1", kind: scope, metadata: { name: "a" } };
    // Retries until the resource is served.
    let { status } = await send("POST", at, body);
    while (status === 404) ({ status } = await send("POST", at, body));
    if (status !== 201) refused.push(`${at} ${status}`);
  }
  return refused;
}

test("keys in etcd equal those of kube-apiserver, kind by kind", { timeout: 180_000 }, async () => {
  const cluster = await startCluster({ store: { etcd: { endpoints: [etcd.endpoint] } }, http: true, without: true, nodes: 0 });
  stop.unshift(() => cluster.stop());
  const [theirs, ours] = await Promise.all([
    createEveryKind(createHttpsRequester(await readFile(real.kubeconfig, "utf8"))),
    createEveryKind(createHttpsRequester(cluster.kubeconfig)),
  ]);
  expect(ours).toEqual(theirs);

  /** Masks generated names and cluster IPs, which differ. */
  const plain = (key: string) =>
    key
      .replace(/(\/leases\/kube-system\/apiserver-).*/, "$1*")
      .replace(/(\/ipaddresses\/).*/, "$1*")
      .replace(/^(\/registry\/events\/layout\/).*/, "$1*");
  const keys = (all: readonly string[]) => [...new Set(all.filter((key) => !ITS_OWN.test(key)).map(plain))].sort();
  const expected = keys(lines(realCtl("get", "/registry/", "--prefix", "--keys-only")));
  expect(new Set(expected.map((key) => key.split("/")[2])).size).toBeGreaterThan(45);
  expect(keys(etcd.keys("/registry/"))).toEqual(expected);

  // The key layout of a namespaced object.
  const shown = etcd.etcdctl("get", "/registry/apiextensions.k8s.io/customresourcedefinitions", "--prefix");
  const prefix = "/registry/apiextensions.k8s.io/customresourcedefinitions";
  expect(lines(shown)).toEqual(expect.arrayContaining([`${prefix}/gadgets.example.com`, `${prefix}/widgets.example.com`]));
  const crds = lines(shown).filter((line) => line.startsWith("{"));
  expect(new Set(crds.map((text) => JSON.parse(text).kind))).toEqual(new Set(["CustomResourceDefinition"]));

  // Every value is an object in its storage version, without a resourceVersion.
  for (const { value } of JSON.parse(etcd.etcdctl("get", "/registry/", "--prefix", "-w", "json")).kvs) {
    const object = JSON.parse(Buffer.from(value, "base64").toString());
    expect(object).toMatchObject({ apiVersion: expect.any(String), kind: expect.any(String), metadata: { uid: expect.any(String) } });
    expect(object.metadata.resourceVersion).toBeUndefined();
  }
});

test("the etcd of a kube-apiserver is rejected and stays unchanged", async () => {
  const dump = () => JSON.parse(realCtl("get", "/registry/clusterroles/", "--prefix", "-w", "json")).kvs;
  const before = dump();
  await expect(startCluster({ store: { etcd: { endpoints: [real.etcd] } }, without: true })).rejects.toThrow(
    /(in etcd holds protobuf, as a kube-apiserver stores it: it was|etcd holds \d+ keys under \/registry\/ that were) not written by Pintle/,
  );
  expect(dump()).toEqual(before);
  expect(realCtl("get", "/pintle", "--prefix", "--keys-only")).toBe("");
  // Another prefix of the same etcd is accepted.
  const cluster = await startCluster({ store: { etcd: { endpoints: [real.etcd], prefix: "/ours" } }, without: true });
  await cluster.stop();
  expect(lines(realCtl("get", "/ours/namespaces/", "--prefix", "--keys-only"))).toContain("/ours/namespaces/default");
  expect(dump()).toEqual(before);
});
