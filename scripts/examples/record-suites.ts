/**
 * Records every suite of the example projects, and checks after each file that the recording explains everything: every commit leads to a request
 * of a client, a timer or an external event, and every recorded run of the operator decides again as it did, from its recording alone. A setup file
 * of the project "examples" in vitest.config.ts; the suites themselves know nothing of it.
 */
import type { Cluster, ClusterOptions } from "@pintle/cluster";
import type { Controller, FlightRecorder, ManagerOptions } from "pintle";
import { afterAll, expect, vi } from "vitest";
import { checkRecording } from "./check-recording.ts";

interface RecordedCluster {
  readonly cluster: Cluster;
  readonly recorder: FlightRecorder;
  /** The revision from which on it is recorded. */
  readonly since: number;
}

const { clusters, controllers } = vi.hoisted(() => ({ clusters: [] as RecordedCluster[], controllers: new Map<string, Controller>() }));

function register(cluster: Cluster): Cluster {
  const recorder = cluster.recorder as FlightRecorder;
  clusters.push({ cluster, recorder, since: cluster.server.store.currentRevision() });
  const { fork } = cluster;
  return Object.assign(cluster, { fork: async (options?: never) => register(await fork(options)) });
}

vi.mock("@pintle/cluster", async (importOriginal) => {
  const original = await importOriginal<typeof import("@pintle/cluster")>();
  return {
    ...original,
    startCluster: async (options: ClusterOptions = {}) => register(await original.startCluster({ ...options, recorder: true })),
  };
});
vi.mock("pintle", async (importOriginal) => {
  const original = await importOriginal<typeof import("pintle")>();
  return {
    ...original,
    startManager(options: ManagerOptions) {
      for (const each of options.controllers) controllers.set(each.name, each);
      return original.startManager({ ...options, recorder: options.recorder ?? clusters.at(-1)?.recorder });
    },
  };
});

afterAll(async () => {
  for (const { cluster, recorder, since } of clusters) {
    const { unexplained, changed, commits, replayed, marked } = await checkRecording(
      recorder.facts(),
      cluster.snapshot().objects.history,
      since,
      [...controllers.values()],
    );
    if (process.env["PINTLE_PROOF"])
      console.info(`${commits} commits, ${replayed} passes replayed, not comparable: ${JSON.stringify(marked)}`);
    expect(unexplained, `${commits} commits of which these lead to no request, timer or external event`).toEqual([]);
    expect(changed, `${replayed} replayed passes of which these decided otherwise`).toEqual([]);
  }
});
