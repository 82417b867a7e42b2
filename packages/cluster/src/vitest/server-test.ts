import { type Client, connect } from "pintle/client";
import { Namespace } from "pintle/kinds/core/v1";
import { afterAll, type TestAPI, test } from "vitest";
import { startCluster } from "../index.ts";

/** Options of `serverTest()`. */
export interface ServerTestOptions {
  /** Prepares the server once per file. On an existing cluster it may find the results of earlier runs. Default: nothing. */
  readonly setup?: ((context: { readonly client: Client }) => Promise<unknown>) | undefined;
}

/** The fixtures of `serverTest()`. */
export interface ServerFixtures {
  /** Client of the API server, as an administrator. */
  readonly client: Client;
  /** A namespace created for this test, deleted after it. */
  readonly namespace: string;
}

/**
 * Returns vitest's `test` with a client of an API server: of an embedded cluster started for the file, or, with
 * `USE_EXISTING_CLUSTER=true` as in envtest suites, of the current kubeconfig. The same tests run on both.
 *
 * @example
 * ```ts
 * import { serverTest } from "@pintle/cluster/vitest";
 * import { ConfigMap } from "pintle/kinds/core/v1";
 *
 * const test = serverTest();
 *
 * test("stores a ConfigMap", async ({ client, namespace }) => {
 *   await client.create(ConfigMap, { metadata: { name: "settings", namespace } });
 * });
 * ```
 */
export function serverTest({ setup }: ServerTestOptions = {}): TestAPI<ServerFixtures> {
  let server: Promise<{ readonly client: Client; stop(): Promise<void> }> | undefined;
  const startServer = async () => {
    const server = await (process.env["USE_EXISTING_CLUSTER"] === "true" ? connectToExisting() : startEmbedded());
    await setup?.(server);
    return server;
  };
  afterAll(async () => (await server)?.stop());
  return test.extend<ServerFixtures>({
    // biome-ignore lint/correctness/noEmptyPattern: vitest reads from this pattern what a fixture needs.
    client: async ({}, use) => {
      server ??= startServer();
      await use((await server).client);
    },
    namespace: async ({ client }, use) => {
      const { metadata } = await client.create(Namespace, { metadata: { generateName: "test-" } });
      await use(metadata.name);
      await client.delete(Namespace, { name: metadata.name });
    },
  });
}

async function connectToExisting() {
  const client = await connect();
  return { client, stop: () => client.close() };
}

async function startEmbedded() {
  const cluster = await startCluster();
  await cluster.ready;
  return { client: cluster.client(), stop: () => cluster.stop() };
}
