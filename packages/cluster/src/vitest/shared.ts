import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Client, connect } from "pintle/client";
import { Event, Namespace, Pod } from "pintle/kinds/core/v1";
import { afterAll, inject, type TestAPI, test } from "vitest";
import { startCluster } from "../index.ts";
import type { ClusterTestOptions } from "./cluster-test.ts";
import { stateText } from "./saw-text.ts";

const KEY = "pintle/cluster/kubeconfig";

declare module "vitest" {
  export interface ProvidedContext {
    "pintle/cluster/kubeconfig": string;
  }
}

interface Project {
  provide(key: typeof KEY, value: string): void;
}

/** One cluster for all test files, in whatever processes they run: the default export of a `globalSetup` file. */
export function sharedCluster({ setup, ...options }: ClusterTestOptions = {}): (project: Project) => Promise<() => Promise<void>> {
  return async (project) => {
    const folder = await mkdtemp(join(tmpdir(), "pintle-test-"));
    const cluster = await startCluster({ http: true, ...options });
    await cluster.ready;
    await setup?.({ cluster, client: cluster.client() });
    await cluster.settled();
    const kubeconfig = join(folder, "kubeconfig");
    await cluster.writeKubeconfig(kubeconfig);
    project.provide(KEY, kubeconfig);
    return async () => {
      await cluster.stop();
      await rm(folder, { recursive: true, force: true });
    };
  };
}

export interface SharedFixtures {
  /** To the cluster that `sharedCluster()` started. */
  readonly client: Client;
  /** A namespace that is this file's own; it goes when its tests are through. */
  readonly namespace: string;
  readonly kubeconfig: string;
}

/** `test` with a client of the cluster that all files share, and a namespace for this one. */
export function sharedTest(): TestAPI<SharedFixtures> {
  let begun: Promise<Omit<SharedFixtures, "kubeconfig">> | undefined;
  const begin = async () => {
    const client = await connect({ kubeconfig: kubeconfig() });
    const { metadata } = await client.create(Namespace, { metadata: { generateName: "test-" } });
    return { client, namespace: metadata.name };
  };
  const kubeconfig = () => {
    const path = inject(KEY);
    if (path === undefined)
      throw new Error("sharedTest: no cluster is shared: make a globalSetup file with `export default sharedCluster()`");
    return path;
  };
  afterAll(async () => {
    if (begun === undefined) return;
    const { client, namespace } = await begun;
    await client.delete(Namespace, { name: namespace });
    await client.close();
  });
  const given = () => {
    begun ??= begin();
    return begun;
  };
  return test.extend<SharedFixtures>({
    client: async ({ onTestFailed }, use) => {
      const { client, namespace } = await given();
      onTestFailed(async () => {
        const [pods, events] = await Promise.all([client.list(Pod, { namespace }), client.list(Event, { namespace })]);
        console.error(stateText(pods.items, events.items));
      });
      await use(client);
    },
    // biome-ignore lint/correctness/noEmptyPattern: vitest reads from this pattern what a fixture needs.
    namespace: async ({}, use) => use((await given()).namespace),
    // biome-ignore lint/correctness/noEmptyPattern: as above.
    kubeconfig: async ({}, use) => use(kubeconfig()),
  });
}
