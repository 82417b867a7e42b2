/**
 * `npm start`: the Memcached operator on an embedded cluster, from nothing to gone, over real HTTPS.
 * Not on a terminal it ends by itself, with exit code 0 only if every step was observed. On a terminal it then stays,
 * so that kubectl can be tried; Ctrl-C removes everything it made.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { startCluster } from "@pintle/cluster";
import { silent, start } from "pintle";
import { type Client, connect } from "pintle/client";
import { CustomResourceDefinition } from "pintle/kinds/apiextensions/v1";
import { Pod } from "pintle/kinds/core/v1";
import { parse } from "yaml";
import { Memcached, memcached } from "../examples/memcached/src/memcached.ts";
import { screen } from "./demo/screen.ts";
import { picture, type World, world } from "./demo/world.ts";

const STEP_LIMIT = 10_000;
const READING_TIME = 1_500;
const namespace = "default";
const sample = parse(readFileSync(new URL("../examples/memcached/config/samples/memcached.yaml", import.meta.url), "utf8")) as {
  readonly metadata: { readonly name: string };
  readonly spec: { readonly size: number };
};
const ref = { name: sample.metadata.name, namespace };
const show = screen(process.stdout);
const stop = new AbortController();
for (const name of ["SIGINT", "SIGTERM"] as const) process.on(name, () => (stop.signal.aborted ? process.exit(130) : stop.abort()));

const began = performance.now();
const folder = mkdtempSync(path.join(tmpdir(), "pintle-"));
const kubeconfig = path.join(folder, "kubeconfig");
const cluster = await startCluster({ http: true });
try {
  await cluster.writeKubeconfig(kubeconfig);
  const client = await connect({ kubeconfig });
  show.say(`cluster   ${cluster.url}, ready after ${since(began)}`);
  await client.apply(CustomResourceDefinition, Memcached.crd(), { fieldManager: "pintle" });
  await client.wait(CustomResourceDefinition, { name: `${Memcached.plural}.${Memcached.group}` }, established, { timeout: STEP_LIMIT });
  show.say(`resource  ${Memcached.plural}.${Memcached.group} established`);
  const operator = start({ controllers: [memcached], client, logger: silent });
  await operator.ready;
  try {
    await story(
      client,
      world(client, namespace, (seen) => show.draw(picture(seen)), stop.signal),
    );
    if (process.stdout.isTTY && !stop.signal.aborted) await stay(client);
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
  show.end();
  await cluster.stop();
  rmSync(folder, { recursive: true, force: true });
}

/** Each step acts, then waits until the cluster shows it; one that does not come is an error. */
async function story(client: Client, seen: World): Promise<void> {
  await step(`apply     memcached/${ref.name} with size ${sample.spec.size}`, async () => {
    await client.apply(Memcached, { metadata: ref, spec: sample.spec }, { fieldManager: "demo" });
    await seen.until(`${sample.spec.size} ready pods, all in status.nodes`, (w) => converged(w, sample.spec.size), STEP_LIMIT);
  });
  await step("scale     to 5", async () => {
    await client.scale.patch(Memcached, ref, { merge: { spec: { replicas: 5 } } });
    await seen.until("5 ready pods, all in status.nodes", (w) => converged(w, 5), STEP_LIMIT);
  });
  const [victim = ""] = [...seen.pods.keys()].sort();
  await step(`delete    pod/${victim}`, async () => {
    await client.delete(Pod, { name: victim, namespace });
    await seen.until(`another pod in place of ${victim}`, (w) => !w.pods.has(victim) && converged(w, 5), STEP_LIMIT);
  });
  await step(`delete    memcached/${ref.name}`, async () => {
    await client.delete(Memcached, ref);
    await seen.until("nothing left", (w) => w.memcacheds.size + w.deployments.size + w.pods.size === 0, STEP_LIMIT);
  });
}

async function step(title: string, act: () => Promise<void>): Promise<void> {
  show.say(title);
  const started = performance.now();
  await act();
  show.say(`          seen after ${since(started)}`);
  // A reader wants to see the picture before it changes again.
  if (process.stdout.isTTY) await setTimeout(READING_TIME, undefined, { signal: stop.signal });
}

async function stay(client: Client): Promise<void> {
  await client.apply(Memcached, { metadata: ref, spec: sample.spec }, { fieldManager: "demo" });
  show.say(
    `\ntry       kubectl --kubeconfig ${kubeconfig} get memcached,deployments,pods\n          Ctrl-C stops it and removes everything.\n`,
  );
  await new Promise<void>((resolve) => stop.signal.addEventListener("abort", () => resolve(), { once: true }));
}

function converged({ memcacheds, deployments, pods }: World, size: number): boolean {
  const object = memcacheds.get(ref.name);
  const names = [...pods.keys()].sort();
  return (
    names.length === size &&
    object?.status?.nodes?.join() === names.join() &&
    object.status.conditions?.some((c) => c.type === "Available" && c.status === "True") === true &&
    deployments.get(ref.name)?.status.readyReplicas === size
  );
}

function established(crd: CustomResourceDefinition): boolean {
  return crd.status?.conditions?.some((c) => c.type === "Established" && c.status === "True") ?? false;
}

function since(start: number): string {
  return `${Math.round(performance.now() - start)} ms`;
}
