import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Client, connect } from "pintle/client";
import { PintleError } from "pintle/internal/errors";
import { Event, Namespace, Pod } from "pintle/kinds/core/v1";
import { afterAll, inject, type TestAPI, test } from "vitest";
import { startCluster } from "../index.ts";
import { formatObjectState } from "./cluster-report.ts";
import type { ClusterTestOptions } from "./cluster-test.ts";
import { createOperatorLauncher } from "./operator-under-test.ts";

const KUBECONFIG_KEY = "pintle/cluster/kubeconfig";

declare module "vitest" {
  export interface ProvidedContext {
    "pintle/cluster/kubeconfig": string;
  }
}

/** The part of a vitest project that `sharedCluster()` uses: vitest passes the project to a `globalSetup` function. */
export interface VitestProject {
  /** Makes a value available to all test files. */
  provide(key: "pintle/cluster/kubeconfig", value: string): void;
}

/**
 * Returns a vitest `globalSetup` function that starts one cluster for all test files, in whatever processes they run.
 *
 * @example
 * ```ts
 * // global-setup.ts, named in vitest.config.ts as `test: { globalSetup: "./global-setup.ts" }`
 * import { sharedCluster } from "@pintle/cluster/vitest";
 *
 * export default sharedCluster();
 * ```
 */
export function sharedCluster({
  setup,
  operator,
  ...options
}: ClusterTestOptions = {}): (project: VitestProject) => Promise<() => Promise<void>> {
  return async (project) => {
    const folder = await mkdtemp(join(tmpdir(), "pintle-test-"));
    const cluster = await startCluster({ http: true, ...options });
    await cluster.ready;
    const launcher = operator === undefined ? undefined : createOperatorLauncher(operator);
    await launcher?.install(cluster);
    const started = await launcher?.start(cluster);
    await setup?.({ cluster, client: cluster.client() });
    await cluster.settled();
    const kubeconfig = join(folder, "kubeconfig");
    await cluster.writeKubeconfig(kubeconfig);
    project.provide(KUBECONFIG_KEY, kubeconfig);
    return async () => {
      try {
        await started?.stop();
      } finally {
        await cluster.stop();
        await rm(folder, { recursive: true, force: true });
      }
    };
  };
}

/** The fixtures of `sharedTest()`. */
export interface SharedFixtures {
  /** Client of the cluster that `sharedCluster()` started. */
  readonly client: Client;
  /** A namespace created for this file, deleted after its tests. */
  readonly namespace: string;
  /** Path of a kubeconfig of the cluster, for programs that a test starts. */
  readonly kubeconfig: string;
}

/**
 * Returns vitest's `test` with a client of the shared cluster and a namespace per file.
 *
 * @example
 * ```ts
 * import { sharedTest } from "@pintle/cluster/vitest";
 * import { ConfigMap } from "pintle/kinds/core/v1";
 *
 * const test = sharedTest();
 *
 * test("stores a ConfigMap", async ({ client, namespace }) => {
 *   await client.create(ConfigMap, { metadata: { name: "settings", namespace } });
 * });
 * ```
 */
export function sharedTest(): TestAPI<SharedFixtures> {
  let fixtures: Promise<Omit<SharedFixtures, "kubeconfig">> | undefined;
  const createFixtures = async () => {
    const client = await connect({ kubeconfig: kubeconfig() });
    const { metadata } = await client.create(Namespace, { metadata: { generateName: "test-" } });
    return { client, namespace: metadata.name };
  };
  const kubeconfig = () => {
    const path = inject(KUBECONFIG_KEY);
    if (path === undefined)
      throw new PintleError(
        "PINTLE6541",
        "sharedTest: there is no shared cluster: add a globalSetup file with `export default sharedCluster()`",
      );
    return path;
  };
  afterAll(async () => {
    if (fixtures === undefined) return;
    const { client, namespace } = await fixtures;
    await client.delete(Namespace, { name: namespace });
    await client.close();
  });
  const getFixtures = () => {
    fixtures ??= createFixtures();
    return fixtures;
  };
  return test.extend<SharedFixtures>({
    client: async ({ onTestFailed }, use) => {
      const { client, namespace } = await getFixtures();
      onTestFailed(async () => {
        const [pods, events] = await Promise.all([client.list(Pod, { namespace }), client.list(Event, { namespace })]);
        console.error(formatObjectState(pods.items, events.items));
      });
      await use(client);
    },
    // biome-ignore lint/correctness/noEmptyPattern: vitest reads from this pattern what a fixture needs.
    namespace: async ({}, use) => use((await getFixtures()).namespace),
    // biome-ignore lint/correctness/noEmptyPattern: as above.
    kubeconfig: async ({}, use) => use(kubeconfig()),
  });
}
