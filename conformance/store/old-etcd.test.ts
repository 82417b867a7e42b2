import { startCluster } from "@pintle/cluster";
import { ConfigMap } from "pintle/kinds/core/v1";
import { expect, test } from "vitest";
import { full } from "../sampling.ts";
import { startEtcd, useEtcd } from "./etcd.ts";

// The oldest supported minor version of etcd: every test of the newest version runs on it too.
useEtcd("etcd-3.5");
if (full) {
  await import("./layout.test.ts");
  await import("./etcd.test.ts");
}

test("a cluster on the oldest supported etcd keeps its objects across a restart", async () => {
  await using etcd = await startEtcd();
  const start = () => startCluster({ store: { etcd: { endpoints: [etcd.endpoint] } }, without: true });
  const named = { namespace: "default", name: "kept" };
  {
    await using cluster = await start();
    await cluster.client().create(ConfigMap, { metadata: named, data: { a: "1" } });
    await cluster.client().patch(ConfigMap, named, { merge: { data: { a: "2" } } });
  }
  await using again = await start();
  expect((await again.client().get(ConfigMap, named)).data).toEqual({ a: "2" });
  expect(etcd.keys("/registry/configmaps/default/")).toEqual(["/registry/configmaps/default/kept"]);
});
