import type { Client } from "pintle/client";
import { PintleError } from "pintle/internal/errors";
import { afterAll, beforeAll, beforeEach } from "vitest";
import { type Cluster, startCluster } from "../index.ts";
import { type ClusterTestOptions, formatTestReport } from "./cluster-test.ts";
import { traceMode, writeFailureTrace } from "./failure-trace.ts";
import { createOperatorLauncher, type OperatorUnderTest } from "./operator-under-test.ts";

/** One cluster for all tests of a file. The properties are available inside tests and hooks. */
export interface TestCluster {
  /** The cluster. */
  readonly cluster: Cluster;
  /** In-process client of the cluster, as an administrator. */
  readonly client: Client;
}

/**
 * Starts a cluster before the tests of the file, or of the enclosing `describe`, and stops it after them.
 *
 * @example
 * ```ts
 * import { useCluster } from "@pintle/cluster/vitest";
 * import { Namespace } from "pintle/kinds/core/v1";
 * import { expect, test } from "vitest";
 *
 * const context = useCluster();
 *
 * test("has the default namespace", async () => {
 *   const { metadata } = await context.client.get(Namespace, { name: "default" });
 *   expect(metadata.name).toBe("default");
 * });
 * ```
 */
export function useCluster({ setup, operator, ...options }: ClusterTestOptions = {}): TestCluster {
  const launcher = operator === undefined ? undefined : createOperatorLauncher(operator);
  let testCluster: TestCluster | undefined;
  let started: OperatorUnderTest | undefined;
  const getTestCluster = () => {
    if (testCluster === undefined) throw new PintleError("PINTLE6540", "useCluster: the cluster is available inside tests and hooks only");
    return testCluster;
  };
  beforeAll(async () => {
    const cluster = await startCluster({ ...options, recorder: options.recorder ?? traceMode() !== "off" });
    testCluster = { cluster, client: cluster.client() };
    await cluster.ready;
    await launcher?.install(cluster);
    started = await launcher?.start(cluster);
    await setup?.(testCluster);
    await cluster.settled();
  });
  beforeEach(({ onTestFailed }) =>
    onTestFailed(async ({ task }) => {
      const { cluster } = getTestCluster();
      const report = formatTestReport(cluster, launcher);
      console.error(report);
      await writeFailureTrace(cluster, task, report);
    }),
  );
  afterAll(async () => {
    try {
      await started?.stop();
    } finally {
      await testCluster?.cluster.stop();
    }
  });
  return {
    get cluster() {
      return getTestCluster().cluster;
    },
    get client() {
      return getTestCluster().client;
    },
  };
}
