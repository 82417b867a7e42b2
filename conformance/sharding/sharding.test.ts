/** `shardSelector` beside a kube-apiserver with the feature gate ShardedListAndWatch, and beside one without. */
import { type Cluster, startCluster } from "@pintle/cluster";
import { createTransport, loadClusterAccess, type Transport } from "pintle/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ControlPlane, startControlPlane } from "../real/index.ts";

const MIDDLE = "0x8000000000000000";
const range = (start: string, end: string, field = "object.metadata.namespace") => `shardRange(${field}, '${start}', '${end}')`;
const SELECTORS = [
  range("0x0000000000000000", MIDDLE),
  range(MIDDLE, "0x10000000000000000"),
  `${range("0x0000000000000000", MIDDLE)}   ||${range(MIDDLE, "0xc000000000000000")}`,
  range(MIDDLE, MIDDLE),
  range("0x0", "0x1"),
  range("0", "1"),
  range("0x", MIDDLE),
  range("0xG000000000000000", MIDDLE),
  range("0x0000000000000000", "0x20000000000000000"),
  range("0x000000000000000000", MIDDLE),
  range("0x0000000000000000", MIDDLE, "object.metadata.name"),
  range("0x0000000000000000", MIDDLE, "'a'"),
  `${range("0x0000000000000000", MIDDLE)} || ${range("0x0000000000000000", MIDDLE, "object.metadata.uid")}`,
  `${range("0x0000000000000000", MIDDLE)} && true`,
  "shardRange(object.metadata.uid)",
  "shardRange(object.metadata.uid, 1, 2)",
  "object.metadata.uid",
  "'a'",
];

describe.each([true, false])("ShardedListAndWatch: %s", (isEnabled) => {
  let real: ControlPlane;
  let embedded: Cluster;
  let theirs: Transport;
  beforeAll(async () => {
    real = await startControlPlane({ serverFlags: [`--feature-gates=ShardedListAndWatch=${isEnabled}`] });
    theirs = await createTransport(await loadClusterAccess({ kubeconfig: real.kubeconfig }));
    embedded = await startCluster({ without: true, featureGates: { ShardedListAndWatch: isEnabled } });
    for (const transport of [theirs, embedded.transport]) {
      for (const name of ["a", "b", "c", "d", "e"]) {
        const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name } };
        await (await transport.request({ method: "POST", path: "/api/v1/namespaces", body: namespace })).json();
        const body = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "one", labels: { test: "shards" } } };
        await (await transport.request({ method: "POST", path: `/api/v1/namespaces/${name}/configmaps`, body })).json();
      }
    }
  });
  afterAll(async () => {
    await theirs?.close();
    await Promise.all([real?.stop(), embedded?.stop()]);
  });

  test.each(SELECTORS)("list with %s", async (shardSelector) => {
    const send = async (transport: Transport) => {
      const query = { shardSelector, labelSelector: "test=shards" };
      const response = await transport.request({ method: "GET", path: "/api/v1/configmaps", query });
      const { items, metadata, message, reason, code } = (await response.json()) as any;
      const found = items?.map((each: any) => each.metadata.namespace);
      return { status: response.status, found, shardInfo: metadata?.shardInfo, message, reason, code };
    };
    expect(await send(embedded.transport)).toEqual(await send(theirs));
  });
});
