/**
 * `npm start`: runs the Memcached operator on an embedded cluster over HTTPS: create, scale, replace a deleted pod, delete.
 * Exits with code 0 only if every step was observed. On a terminal it then keeps running, so that kubectl can be used; Ctrl-C stops the
 * cluster and removes its files.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { startCluster } from "@pintle/cluster";
import { silentLogger, startManager } from "pintle";
import { type Client, connect } from "pintle/client";
import { CustomResourceDefinition } from "pintle/kinds/apiextensions/v1";
import { Pod } from "pintle/kinds/core/v1";
import { parse } from "yaml";
import { Memcached, memcached } from "../examples/memcached/src/memcached.ts";
import { type DemoState, formatDemoState, watchDemoState } from "./demo/demo-state.ts";
import { createDisplay } from "./demo/display.ts";

const STEP_TIMEOUT_MS = 10_000;
const PAUSE_MS = 1_500;
const namespace = "default";
const sample = parse(readFileSync(new URL("../examples/memcached/config/samples/memcached.yaml", import.meta.url), "utf8")) as {
  readonly metadata: { readonly name: string };
  readonly spec: { readonly size: number };
};
const ref = { name: sample.metadata.name, namespace };
const display = createDisplay(process.stdout);
const stop = new AbortController();
for (const name of ["SIGINT", "SIGTERM"] as const) process.on(name, () => (stop.signal.aborted ? process.exit(130) : stop.abort()));

const startedAt = performance.now();
const folder = mkdtempSync(path.join(tmpdir(), "pintle-"));
const kubeconfig = path.join(folder, "kubeconfig");
const cluster = await startCluster({ http: true });
try {
  await cluster.writeKubeconfig(kubeconfig);
  const client = await connect({ kubeconfig });
  display.printStep(`cluster   ready at ${cluster.url} after ${formatElapsed(startedAt)}`);
  await client.apply(CustomResourceDefinition, Memcached.crd(), { fieldManager: "pintle" });
  await client.waitFor(CustomResourceDefinition, { name: `${Memcached.plural}.${Memcached.group}` }, isEstablished, {
    timeout: STEP_TIMEOUT_MS,
  });
  display.printStep(`resource  ${Memcached.plural}.${Memcached.group} established`);
  const operator = startManager({ controllers: [memcached], client, logger: silentLogger });
  await operator.ready;
  try {
    await runDemo(
      client,
      watchDemoState(client, namespace, (state) => display.drawTable(formatDemoState(state)), stop.signal),
    );
    if (process.stdout.isTTY && !stop.signal.aborted) await waitForShutdown(client);
  } finally {
    stop.abort();
    await operator.stop();
    await client.close();
  }
} catch (error) {
  if (!stop.signal.aborted) {
    console.error(`npm start: ${(error as Error).message}`);
    process.exitCode = 1;
  }
} finally {
  display.close();
  await cluster.stop();
  rmSync(folder, { recursive: true, force: true });
}

/** Each step changes an object and waits until the effect is observed; a step that times out is an error. */
async function runDemo(client: Client, state: DemoState): Promise<void> {
  await runStep(`apply     memcached/${ref.name} with size ${sample.spec.size}`, async () => {
    await client.apply(Memcached, { metadata: ref, spec: sample.spec }, { fieldManager: "demo" });
    await state.waitUntil(
      `${sample.spec.size} ready pods, all in status.nodes`,
      (now) => hasConverged(now, sample.spec.size),
      STEP_TIMEOUT_MS,
    );
  });
  await runStep("scale     to 5", async () => {
    await client.scale.patch(Memcached, ref, { merge: { spec: { replicas: 5 } } });
    await state.waitUntil("5 ready pods, all in status.nodes", (now) => hasConverged(now, 5), STEP_TIMEOUT_MS);
  });
  const [deletedPod = ""] = [...state.pods.keys()].sort();
  await runStep(`delete    pod/${deletedPod}`, async () => {
    await client.delete(Pod, { name: deletedPod, namespace });
    await state.waitUntil(
      `a new pod instead of ${deletedPod}`,
      (now) => !now.pods.has(deletedPod) && hasConverged(now, 5),
      STEP_TIMEOUT_MS,
    );
  });
  await runStep(`delete    memcached/${ref.name}`, async () => {
    await client.delete(Memcached, ref);
    await state.waitUntil("no objects left", (now) => now.memcacheds.size + now.deployments.size + now.pods.size === 0, STEP_TIMEOUT_MS);
  });
}

async function runStep(title: string, act: () => Promise<void>): Promise<void> {
  display.printStep(title);
  const started = performance.now();
  await act();
  display.printStep(`          observed after ${formatElapsed(started)}`);
  // Leaves time to read the table before the next step changes it.
  if (process.stdout.isTTY) await setTimeout(PAUSE_MS, undefined, { signal: stop.signal });
}

async function waitForShutdown(client: Client): Promise<void> {
  await client.apply(Memcached, { metadata: ref, spec: sample.spec }, { fieldManager: "demo" });
  display.printStep(`\ntry       kubectl --kubeconfig ${kubeconfig} get memcached,deployments,pods\n          Ctrl-C stops the cluster.\n`);
  await new Promise<void>((resolve) => stop.signal.addEventListener("abort", () => resolve(), { once: true }));
}

function hasConverged({ memcacheds, deployments, pods }: DemoState, size: number): boolean {
  const object = memcacheds.get(ref.name);
  const names = [...pods.keys()].sort();
  return (
    names.length === size &&
    object?.status?.nodes?.join() === names.join() &&
    object.status.conditions?.some((c) => c.type === "Available" && c.status === "True") === true &&
    deployments.get(ref.name)?.status.readyReplicas === size
  );
}

function isEstablished(crd: CustomResourceDefinition): boolean {
  return crd.status?.conditions?.some((c) => c.type === "Established" && c.status === "True") ?? false;
}

function formatElapsed(start: number): string {
  return `${Math.round(performance.now() - start)} ms`;
}
