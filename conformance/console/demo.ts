/** What the checks look at: the Memcached operator on an embedded cluster with nodes, recorded, and the console of both. */
import { readFileSync } from "node:fs";
import { type Cluster, startCluster } from "@pintle/cluster";
import { loadPageFiles } from "@pintle/console/internal/files";
import { startConsoleServer } from "@pintle/console/internal/server";
import { type Controller, silentLogger, startManager } from "pintle";
import type { Client } from "pintle/client";
import { CustomResourceDefinition } from "pintle/kinds/apiextensions/v1";
import { parse } from "yaml";
import { Memcached, memcached } from "../../examples/memcached/src/memcached.ts";
import { createClusterSource, createProjectFiles } from "../../packages/cli/src/console/index.ts";

const example = new URL("../../examples/memcached/", import.meta.url);
export const sample = parse(readFileSync(new URL("config/samples/memcached.yaml", example), "utf8")) as {
  readonly metadata: { readonly name: string };
  readonly spec: { readonly size: number };
};
/** The sample in the namespace that the checks use. */
export const ref = { name: sample.metadata.name, namespace: "default" };
export const objectPath = `cache.example.com/memcacheds/default/${ref.name}`;
export const deploymentPath = `apps/deployments/default/${ref.name}`;

export interface Demo extends AsyncDisposable {
  readonly cluster: Cluster;
  /** As a user with kubectl. */
  readonly client: Client;
  /** With the key. */
  readonly url: string;
  /** Without. */
  readonly origin: string;
  readonly port: number;
  /** Failures of the console that are bugs. */
  readonly errors: unknown[];
}

export interface DemoOptions {
  readonly controllers?: readonly Controller[];
  /** The folder and the entry file whose sources the console shows. Default: the example. */
  readonly sources?: { readonly root: string; readonly entry: string };
  /** Replays a run with the code of a project. Default: the console cannot. */
  readonly replay?: NonNullable<Parameters<typeof createClusterSource>[1]["replay"]>;
  /** Whether the sample is applied, and awaited. */
  readonly sample?: boolean;
}

export async function startDemo({
  controllers = [memcached],
  sources: project = { root: new URL(".", example).pathname, entry: "src/main.ts" },
  replay,
  sample: apply = true,
}: DemoOptions = {}): Promise<Demo> {
  const cluster = await startCluster({ http: true, recorder: true });
  const client = cluster.client();
  await client.apply(CustomResourceDefinition, Memcached.crd(), { fieldManager: "pintle" });
  await client.waitFor(
    CustomResourceDefinition,
    { name: "memcacheds.cache.example.com" },
    (crd) => crd.status?.conditions?.some(({ type, status }) => type === "Established" && status === "True") === true,
  );
  const manager = startManager({ controllers, client: cluster.client(), recorder: cluster.recorder, logger: silentLogger });
  await manager.ready;
  const files = createProjectFiles(project);
  const source = await createClusterSource(cluster, {
    name: "memcached",
    kubectl: "kubectl",
    samples: files.samples,
    sampleOf: files.sampleOf,
    sources: files.sources,
    replay,
  });
  const errors: unknown[] = [];
  const server = await startConsoleServer({ source, loadFiles: loadPageFiles, version: "0.0.0", onError: (error) => errors.push(error) });
  if (apply) {
    await client.apply(Memcached, { metadata: ref, spec: sample.spec }, { fieldManager: "kubectl" });
    await waitUntilAvailable(client, sample.spec.size);
  }
  return {
    cluster,
    client,
    url: server.url,
    origin: new URL(server.url).origin,
    port: server.port,
    errors,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await manager.stop();
      await source[Symbol.asyncDispose]();
      await cluster.stop();
    },
  };
}

export async function waitUntilAvailable(client: Client, size: number): Promise<void> {
  await client.waitFor(Memcached, ref, ({ status }) => status?.ready === size && status.nodes?.length === size, { timeout: 20_000 });
}
