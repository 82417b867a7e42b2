import type { Client } from "pintle/client";
import { Namespace } from "pintle/kinds/core/v1";
import { afterAll, type TestAPI, test } from "vitest";
import { type Cluster, type ClusterOptions, startCluster } from "../index.ts";
import { formatClusterReport } from "./cluster-report.ts";

/** Options of a cluster for tests: those of `startCluster`, and the state that tests start from. */
export interface ClusterTestOptions extends ClusterOptions {
  /** Prepares the cluster once per file; every test starts from this state. Default: nothing. */
  readonly setup?: ((context: { readonly cluster: Cluster; readonly client: Client }) => Promise<unknown>) | undefined;
}

/** The fixtures of `clusterTest()`. */
export interface ClusterFixtures {
  /** A cluster for this test, stopped after it. */
  readonly cluster: Cluster;
  /** In-process client of the cluster, as an administrator. */
  readonly client: Client;
  /** A namespace created for this test. */
  readonly namespace: string;
}

/**
 * Returns vitest's `test` with a cluster per test. Each test gets a fork of one cluster that is started and set up once per file, so
 * tests may run concurrently and modify anything.
 *
 * @example
 * ```ts
 * import { clusterTest } from "@pintle/cluster/vitest";
 * import { ConfigMap } from "pintle/kinds/core/v1";
 * import { expect } from "vitest";
 *
 * const test = clusterTest();
 *
 * test("stores a ConfigMap", async ({ client, namespace }) => {
 *   const { metadata } = await client.create(ConfigMap, { metadata: { name: "settings", namespace } });
 *   expect(metadata.uid).toBeDefined();
 * });
 * ```
 */
export function clusterTest({ setup, ...options }: ClusterTestOptions = {}): TestAPI<ClusterFixtures> {
  let base: Promise<Cluster> | undefined;
  const startBase = async () => {
    const cluster = await startCluster({ ...options, http: undefined, plainHttp: undefined });
    const client = cluster.client();
    await cluster.ready;
    await setup?.({ cluster, client });
    await cluster.settled();
    return cluster;
  };
  afterAll(async () => (await base)?.stop());
  const { http, plainHttp } = options;
  return test.extend<ClusterFixtures>({
    cluster: async ({ onTestFailed }, use) => {
      base ??= startBase();
      const cluster = await (await base).fork({ http, plainHttp });
      onTestFailed(() => console.error(formatClusterReport(cluster)));
      await use(cluster);
      await cluster.stop();
    },
    client: async ({ cluster }, use) => {
      await use(cluster.client());
    },
    namespace: async ({ client }, use) => {
      const { metadata } = await client.create(Namespace, { metadata: { generateName: "test-" } });
      await use(metadata.name);
    },
  });
}
