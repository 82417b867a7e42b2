import type { Client } from "pintle/client";
import { Namespace } from "pintle/kinds/core/v1";
import { afterAll, type TestAPI, test } from "vitest";
import { type Cluster, type ClusterOptions, startCluster } from "../index.ts";
import { sawText } from "./saw-text.ts";

export interface ClusterTestOptions extends ClusterOptions {
  /** Done once for all tests of a file: what every one of them begins with. */
  readonly setup?: ((given: { readonly cluster: Cluster; readonly client: Client }) => Promise<unknown>) | undefined;
}

export interface ClusterFixtures {
  /** This test's own. It ends with the test. */
  readonly cluster: Cluster;
  /** Straight into it, as an administrator. */
  readonly client: Client;
  /** A namespace that is this test's own. */
  readonly namespace: string;
}

/**
 * `test` with a cluster: every test that asks for it gets one of its own, forked from one that is started and set up once
 * for the file, so tests may run side by side and break whatever they like.
 *
 * ```ts
 * const test = clusterTest({ setup: ({ client }) => client.create(CustomResourceDefinition, Widget.crd()) });
 * test("a widget", async ({ client, cluster }) => { ... });
 * ```
 */
export function clusterTest({ setup, ...options }: ClusterTestOptions = {}): TestAPI<ClusterFixtures> {
  let begun: Promise<Cluster> | undefined;
  const begin = async () => {
    const cluster = await startCluster({ ...options, http: undefined, plainHttp: undefined });
    const client = cluster.client();
    await cluster.ready;
    await setup?.({ cluster, client });
    await cluster.settled();
    return cluster;
  };
  afterAll(async () => (await begun)?.stop());
  const { http, plainHttp } = options;
  return test.extend<ClusterFixtures>({
    cluster: async ({ onTestFailed }, use) => {
      begun ??= begin();
      const cluster = await (await begun).fork({ http, plainHttp });
      onTestFailed(() => console.error(sawText(cluster)));
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
