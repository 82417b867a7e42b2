/**
 * Pods that are deleted without a grace period at random moments, while their sandbox is created, their volumes are written, their hooks
 * and probes run: no deletion may affect another pod or the cluster, and nothing of a deleted pod may stay.
 */
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { type Cluster, startCluster } from "@pintle/cluster";
import { type Random, seededRandom } from "pintle/internal/clock";
import { ConfigMap, type Container, Pod, type Pod as PodObject, Secret } from "pintle/kinds/core/v1";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { full, seed } from "../sampling.ts";
import { findProcesses } from "./find-processes.ts";
import { modes } from "./modes.ts";

const COUNT = full ? 1000 : 60;
const CONCURRENCY = 8;
const TIMEOUT = 60_000;
const NAMESPACE = "default";

/** What the test waits for before it deletes the pod, if it happens soon: some pods never start. */
const MOMENTS: Readonly<Record<string, (pod: PodObject) => boolean>> = {
  created: () => true,
  scheduled: ({ spec }) => spec.nodeName !== undefined,
  reported: ({ status }) => (status.containerStatuses ?? []).length > 0,
  started: ({ status }) => status.phase === "Running" || status.phase === "Succeeded" || status.phase === "Failed",
};

const MAX_WAIT = 2_000;

/** Creates files in a volume, also after SIGTERM. */
const WRITER = "trap '' TERM; i=0; while [ $i -lt 300 ]; do mkdir -p /scratch/$i; echo x > /scratch/$i/file; i=$((i+1)); done; sleep 1000";
const SCRIPTS = [
  WRITER,
  "sleep 1000",
  "exit 0",
  "exit 1",
  "sleep 1000 & setsid sleep 1000 & wait",
  "cat /config/* /secret/*; exec sleep 1000",
];
const IMAGES = ["busybox", "busybox", "busybox", "alpine", "example.com/missing:v1"];

describe.each(modes)("pods that are deleted by force, mode %s", (mode) => {
  const mark = `forced-${process.pid}-${mode}`;
  const unhandled: unknown[] = [];
  const onUnhandled = (error: unknown) => unhandled.push(error);
  let folder = "";
  let cluster: Cluster;
  beforeAll(async () => {
    process.on("unhandledRejection", onUnhandled);
    folder = await mkdtemp(path.join(tmpdir(), "pintle-forced-"));
    cluster = await startCluster({ nodes: { kind: "process", mode, folder, count: 2 } });
    await cluster.ready;
    const client = cluster.client();
    const values = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`key-${n}`, "value".repeat(50)]));
    await client.create(ConfigMap, { metadata: { name: "config", namespace: NAMESPACE }, data: values });
    await client.create(Secret, { metadata: { name: "secret", namespace: NAMESPACE }, stringData: values } as never);
  });
  afterAll(async () => {
    process.off("unhandledRejection", onUnhandled);
    await cluster?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  test(`leave nothing behind and affect nothing else (${COUNT} deletions, seed ${seed})`, { timeout: 60_000 + COUNT * 2_000 }, async () => {
    const client = cluster.client();
    const random = seededRandom(seed);
    const survivor = { name: "survivor", namespace: NAMESPACE };
    await client.create(Pod, { metadata: survivor, spec: { containers: [buildContainer("main", "sleep 1000", mark)] } } as never);
    let next = 0;
    const deletePods = async () => {
      while (next < COUNT) {
        const ref = { name: `pod-${next++}`, namespace: NAMESPACE };
        const spec = buildPodSpec(random, mark);
        const moment = pick(random, Object.values(MOMENTS));
        await client.create(Pod, { metadata: ref, spec } as never);
        await client.waitFor(Pod, ref, moment, { timeout: MAX_WAIT }).catch(() => {});
        // Sometimes a graceful deletion is under way already.
        if (random() < 0.2) await client.delete(Pod, ref, { gracePeriodSeconds: 20 });
        await client.delete(Pod, ref, { gracePeriodSeconds: 0 }).catch(() => {});
        await client.waitForDeletion(Pod, ref, { timeout: TIMEOUT });
      }
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, deletePods));

    const { metadata, status } = await client.waitFor(Pod, survivor, ({ status }) => status.containerStatuses?.[0]?.ready === true, {
      timeout: TIMEOUT,
    });
    expect(status.containerStatuses?.[0]?.restartCount).toBe(0);
    await expect.poll(() => readdir(path.join(folder, "pods")), { timeout: TIMEOUT, interval: 200 }).toEqual([metadata.uid]);
    const countProcesses = () => findProcesses(mark).filter((line) => !line.includes(" sleep 1000")).length;
    await expect.poll(countProcesses, { timeout: TIMEOUT, interval: 200 }).toBe(0);
    await client.delete(Pod, survivor, { gracePeriodSeconds: 0 });
    await expect.poll(() => findProcesses(mark), { timeout: TIMEOUT, interval: 200 }).toEqual([]);
    expect(unhandled).toEqual([]);
  });
});

const pick = <T>(random: Random, from: readonly T[]): T => from[Math.floor(random() * from.length)]!;

function buildContainer(name: string, script: string, mark: string): Container {
  return {
    name,
    image: "busybox",
    command: ["sh", "-c", script],
    env: [{ name: "WORD", value: mark }],
    volumeMounts: [
      { name: "scratch", mountPath: "/scratch" },
      { name: "config", mountPath: "/config" },
      { name: "secret", mountPath: "/secret" },
    ].filter(() => script !== "sleep 1000"),
  };
}

function buildPodSpec(random: Random, mark: string): object {
  const main: Container = { ...buildContainer("main", pick(random, SCRIPTS), mark), image: pick(random, IMAGES) };
  const hook = { exec: { command: ["sh", "-c", pick(random, ["true", "false", WRITER, "sleep 1000"])] } };
  const probe = { exec: { command: ["sh", "-c", pick(random, ["true", "false", "sleep 1000"])] }, periodSeconds: 1, failureThreshold: 1 };
  const badProbe = { httpGet: { host: "no such host", port: 80 }, periodSeconds: 1 };
  return {
    restartPolicy: pick(random, ["Always", "Never"]),
    terminationGracePeriodSeconds: pick(random, [0, 1, 30]),
    volumes: [
      { name: "scratch", emptyDir: {} },
      { name: "config", configMap: { name: "config" } },
      { name: "secret", secret: { secretName: pick(random, ["secret", "secret", "secret", "missing"]) } },
    ],
    ...(random() < 0.3 ? { initContainers: [buildContainer("init", pick(random, ["true", "false", WRITER]), mark)] } : {}),
    containers: [
      {
        ...main,
        ...(random() < 0.4 ? { lifecycle: { [pick(random, ["postStart", "preStop"])]: hook } } : {}),
        ...(random() < 0.4
          ? { [pick(random, ["livenessProbe", "readinessProbe", "startupProbe"])]: pick(random, [probe, probe, badProbe]) }
          : {}),
      },
      ...(random() < 0.3 ? [buildContainer("side", WRITER, mark)] : []),
    ],
  };
}
