import { type Client, connect } from "pintle/client";
import { Namespace } from "pintle/kinds/core/v1";
import { afterAll, type TestAPI, test } from "vitest";
import { startCluster } from "../index.ts";

export interface ServerTestOptions {
  /** Done once for all tests of a file. On a cluster that is there already it finds what it left the last time. */
  readonly setup?: ((given: { readonly client: Client }) => Promise<unknown>) | undefined;
}

export interface ServerFixtures {
  readonly client: Client;
  /** This test's own; it goes with the test. */
  readonly namespace: string;
}

/**
 * `test` with the client of an API server: an embedded cluster for the file, or, with `USE_EXISTING_CLUSTER=true` as suites on
 * envtest have it, the cluster of the kubeconfig. The same tests run on both.
 */
export function serverTest({ setup }: ServerTestOptions = {}): TestAPI<ServerFixtures> {
  let begun: Promise<{ readonly client: Client; stop(): Promise<void> }> | undefined;
  const begin = async () => {
    const server = await (process.env["USE_EXISTING_CLUSTER"] === "true" ? existing() : embedded());
    await setup?.(server);
    return server;
  };
  afterAll(async () => (await begun)?.stop());
  return test.extend<ServerFixtures>({
    // biome-ignore lint/correctness/noEmptyPattern: vitest reads from this pattern what a fixture needs.
    client: async ({}, use) => {
      begun ??= begin();
      await use((await begun).client);
    },
    namespace: async ({ client }, use) => {
      const { metadata } = await client.create(Namespace, { metadata: { generateName: "test-" } });
      await use(metadata.name);
      await client.delete(Namespace, { name: metadata.name });
    },
  });
}

async function existing() {
  const client = await connect();
  return { client, stop: () => client.close() };
}

async function embedded() {
  const cluster = await startCluster();
  await cluster.ready;
  return { client: cluster.client(), stop: () => cluster.stop() };
}
