import type { Manager } from "pintle";
import type { Client } from "pintle/client";
import { Namespace } from "pintle/kinds/core/v1";
import { afterAll, type TestAPI, test } from "vitest";
import { type Cluster, type ClusterOptions, startCluster } from "../index.ts";
import { formatClusterReport } from "./cluster-report.ts";
import { traceMode, writeFailureTrace } from "./failure-trace.ts";
import { createOperatorLauncher, type OperatorLauncher, type OperatorOption, type OperatorUnderTest } from "./operator-under-test.ts";

/** Options of a cluster for tests: those of `startCluster`, the operator under test, and the state that tests start from. */
export interface ClusterTestOptions extends ClusterOptions {
  /**
   * The operator under test. Its CRDs are installed, its webhooks and conversions are served over HTTPS and registered, and its controllers run, all
   * before `setup` and before a test; it is stopped after the test. Its clock is that of the cluster. An operator that fails, also through
   * a programming error in `reconcile` unless `bugs` is "retry", fails the test. Default: none.
   */
  readonly operator?: OperatorOption | undefined;
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

/** The fixtures of `clusterTest({ operator })`. */
export interface OperatorFixtures extends ClusterFixtures {
  /** The operator under test. It runs whether or not a test uses this fixture. */
  readonly operator: Manager;
}

/**
 * Returns vitest's `test` with a cluster per test. Each test gets a fork of one cluster that is started and set up once per file, so
 * tests may run concurrently and modify anything. With `operator`, every fork runs the operator with its webhooks and conversions.
 *
 * @example
 * ```ts
 * import { clusterTest } from "@pintle/cluster/vitest";
 * import { controller, defineResource, webhook, z } from "pintle";
 * import { ConfigMap } from "pintle/kinds/core/v1";
 * import { expect } from "vitest";
 *
 * const Note = defineResource({ group: "example.com", version: "v1", kind: "Note", spec: z.object({ text: z.string() }) });
 * const notes = controller(Note, {
 *   owns: [ConfigMap],
 *   reconcile: ({ object: { metadata, spec }, want }) =>
 *     want({ children: { text: ConfigMap.desired({ metadata: { name: metadata.name }, data: { text: spec.text } }) } }),
 * });
 * const notEmpty = webhook(Note, {
 *   validate: ({ object }) => (object?.spec.text === "" ? [{ field: "spec.text", message: "must not be empty" }] : []),
 * });
 *
 * const test = clusterTest({ operator: { controllers: [notes], webhooks: [notEmpty] } });
 *
 * test("refuses an empty note", async ({ client, namespace }) => {
 *   const note = { metadata: { name: "empty", namespace }, spec: { text: "" } };
 *   await expect(client.create(Note, note)).rejects.toThrow("must not be empty");
 * });
 * ```
 */
export function clusterTest(options: ClusterTestOptions & { readonly operator: OperatorOption }): TestAPI<OperatorFixtures>;
export function clusterTest(options?: ClusterTestOptions): TestAPI<ClusterFixtures>;
export function clusterTest({ setup, operator, ...options }: ClusterTestOptions = {}): TestAPI<OperatorFixtures> {
  const launcher = operator === undefined ? undefined : createOperatorLauncher(operator);
  let base: Promise<Cluster> | undefined;
  const recorder = options.recorder ?? traceMode() !== "off";
  const getBase = () => {
    base ??= startBase({ ...options, recorder, http: undefined, plainHttp: undefined }, setup, launcher);
    return base;
  };
  afterAll(async () => (await base)?.stop());
  const { http, plainHttp } = options;
  return test.extend<OperatorFixtures & { readonly running: RunningTest }>({
    running: async ({ onTestFailed, onTestFinished }, use) => {
      const cluster = await (await getBase()).fork({ http, plainHttp });
      try {
        onTestFailed(async ({ task }) => {
          const report = formatTestReport(cluster, launcher);
          console.error(report);
          await writeFailureTrace(cluster, task, report);
        });
        onTestFinished(async ({ task }) => {
          if (traceMode() === "on" && task.result?.state !== "fail") await writeFailureTrace(cluster, task, "");
        });
        const started = await launcher?.start(cluster);
        await use({ cluster, operator: started });
        await started?.stop();
      } finally {
        await cluster.stop();
      }
    },
    cluster: async ({ running }, use) => use(running.cluster),
    operator: async ({ running }, use) => use(running.operator?.manager as Manager),
    client: async ({ cluster }, use) => {
      await use(cluster.client());
    },
    namespace: async ({ client }, use) => {
      const { metadata } = await client.create(Namespace, { metadata: { generateName: "test-" } });
      await use(metadata.name);
    },
  });
}

interface RunningTest {
  readonly cluster: Cluster;
  readonly operator: OperatorUnderTest | undefined;
}

/** Starts the cluster from which the clusters of tests are forked. The operator runs on it only during `setup`. */
async function startBase(
  options: ClusterOptions,
  setup: ClusterTestOptions["setup"],
  launcher: OperatorLauncher | undefined,
): Promise<Cluster> {
  const cluster = await startCluster(options);
  try {
    await cluster.ready;
    await launcher?.install(cluster);
    const started = setup === undefined ? undefined : await launcher?.start(cluster);
    await setup?.({ cluster, client: cluster.client() });
    await cluster.settled();
    await started?.stop();
    return cluster;
  } catch (error) {
    console.error(formatTestReport(cluster, launcher));
    await cluster.stop();
    throw error;
  }
}

/** Formats the report of a failed test: the state of the cluster, and what the operator logged. */
export function formatTestReport(cluster: Cluster, launcher: OperatorLauncher | undefined): string {
  const lines = launcher?.logOf(cluster) ?? [];
  return [formatClusterReport(cluster), ...(lines.length === 0 ? [] : ["the operator logged:", ...lines.map((line) => `  ${line}`)])].join(
    "\n",
  );
}
