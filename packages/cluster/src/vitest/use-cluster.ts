import type { Client } from "pintle/client";
import { afterAll, beforeAll, beforeEach } from "vitest";
import { type Cluster, startCluster } from "../index.ts";
import type { ClusterTestOptions } from "./cluster-test.ts";
import { sawText } from "./saw-text.ts";

/** One cluster for all tests of a file; there from the first test on. */
export interface UsedCluster {
  readonly cluster: Cluster;
  readonly client: Client;
}

/** Starts a cluster before the tests of the file, or of the `describe` it is called in, and stops it after them. */
export function useCluster({ setup, ...options }: ClusterTestOptions = {}): UsedCluster {
  let used: UsedCluster | undefined;
  const there = () => {
    if (used === undefined) throw new Error("useCluster: the cluster is there from the first test on: use it inside tests and hooks");
    return used;
  };
  beforeAll(async () => {
    const cluster = await startCluster(options);
    used = { cluster, client: cluster.client() };
    await cluster.ready;
    await setup?.(used);
    await cluster.settled();
  });
  beforeEach(({ onTestFailed }) => onTestFailed(() => console.error(sawText(there().cluster))));
  afterAll(() => used?.cluster.stop());
  return {
    get cluster() {
      return there().cluster;
    },
    get client() {
      return there().client;
    },
  };
}
