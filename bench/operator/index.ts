import { mkdtempSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { type Client, connect } from "pintle/client";
import { CustomResourceDefinition } from "pintle/kinds/apiextensions/v1";
import { startControlPlane } from "../../conformance/real/index.ts";
import { freePorts } from "../../conformance/real/ports.ts";
import { Memcached } from "../../examples/memcached/src/memcached.ts";
import { type Convergence, cleared, convergence } from "./convergence.ts";
import { peer } from "./peer.ts";
import { fill, wireSize } from "./pods.ts";
import { type Measured, measured } from "./process.ts";
import { published } from "./published.ts";
import { type Spread, spread, spreadText } from "./spread.ts";
import { type Sync, sync } from "./sync.ts";
import { workerDefinition } from "./worker.ts";

type Figures<T> = { readonly [K in keyof T]: Spread };
export interface OperatorBench {
  readonly notBuilt: Readonly<Record<string, string>>;
  readonly convergence: readonly (Figures<Convergence> & { readonly side: string; readonly objects: number })[];
  readonly sync: readonly (Figures<Sync> & { readonly side: string; readonly of: string; readonly objects: number })[];
  readonly wireKb: Readonly<Record<string, number>>;
  /** Of the machine, at the end: figures taken on a busy one are worth little on their own. */
  readonly loadAverage: number;
}

interface Sizes {
  readonly converge: readonly { readonly objects: number; readonly repeats: number }[];
  readonly sync: readonly { readonly objects: number; readonly repeats: number }[];
}
const REDUCED: Sizes = { converge: [{ objects: 1_000, repeats: 5 }], sync: [{ objects: 10_000, repeats: 3 }] };
const FULL: Sizes = {
  converge: [
    { objects: 1_000, repeats: 7 },
    { objects: 5_000, repeats: 3 },
  ],
  sync: [
    { objects: 10_000, repeats: 5 },
    { objects: 50_000, repeats: 3 },
  ],
};

/** A side starts its program; the order of the sides changes from round to round. */
interface Side {
  readonly name: string;
  operator(ports: readonly number[]): Measured;
  cache(of: "pods" | "workers", metadataOnly: boolean): Measured;
}

/**
 * The same operator, and the same caches, on pintle and on controller-runtime, against one real kube-apiserver and etcd.
 * The sides take turns, each in a process of its own.
 */
export async function run({ full = false }: { readonly full?: boolean | undefined } = {}): Promise<OperatorBench> {
  const sizes = full ? FULL : REDUCED;
  const ours = await published(["operator", "cache"].map((name) => fileURLToPath(new URL(`sides/${name}.ts`, import.meta.url))));
  const logs = mkdtempSync(path.join(tmpdir(), "pintle-bench-logs-"));
  const plane = await startControlPlane({ disableAdmissionPlugins: ["ServiceAccount"] });
  const client = await connect({ kubeconfig: plane.kubeconfig, onWarning: () => {} });
  try {
    const notBuilt: Record<string, string> = {};
    const theirs = await peer(AbortSignal.timeout(1_800_000)).catch((error: Error) => {
      notBuilt["controller-runtime"] = error.message;
      return undefined;
    });
    const start = (name: string, command: string, args: readonly string[]) =>
      measured(command, args, { KUBECONFIG: plane.kubeconfig }, path.join(logs, `${name}.log`));
    const pintle: Side = {
      name: "pintle",
      operator: (ports) => start("pintle", process.execPath, [path.join(ours, "operator.js"), ...addresses(ports)]),
      cache: (of, metadataOnly) =>
        start("pintle", process.execPath, [path.join(ours, "cache.js"), of, ...(metadataOnly ? ["metadata-only"] : [])]),
    };
    const goSide = (name: string, program: string, more: readonly string[]): Side => ({
      name,
      operator: (ports) => start(name, program, ["operator", "--workers=10", ...addresses(ports)]),
      cache: (of, metadataOnly) => start(name, program, ["cache", `--of=${of}`, `--metadata-only=${metadataOnly}`, ...more]),
    });
    const sides = [pintle, ...(theirs === undefined ? [] : [goSide("controller-runtime", theirs, [])])];
    const cacheSides = [...sides, ...(theirs === undefined ? [] : [goSide("controller-runtime, stripped", theirs, ["--strip"])])];

    await install(client, Memcached.crd());
    await install(client, workerDefinition);
    const converged = await convergences(client, sides, sizes);
    const { synced, wireKb } = await syncs(client, cacheSides, sizes);
    const result = { notBuilt, convergence: converged, sync: synced, wireKb, loadAverage: loadavg()[0]! };
    print(result);
    return result;
  } finally {
    await client.close();
    await plane.stop();
    for (const folder of [ours, logs]) rmSync(folder, { recursive: true, force: true });
  }
}

const addresses = ([metrics, health]: readonly number[]) => [
  `--metrics-bind-address=127.0.0.1:${metrics}`,
  `--health-probe-bind-address=127.0.0.1:${health}`,
];

async function install(client: Client, definition: { readonly metadata: { readonly name: string } }): Promise<void> {
  const { metadata } = await client.create(CustomResourceDefinition, definition as never);
  const isServed = (crd: CustomResourceDefinition) =>
    crd.status?.conditions?.some((each) => each.type === "Established" && each.status === "True") ?? false;
  await client.wait(CustomResourceDefinition, metadata, isServed, { timeout: 20_000 });
}

async function convergences(client: Client, sides: readonly Side[], sizes: Sizes): Promise<OperatorBench["convergence"]> {
  const results = [];
  for (const { objects, repeats } of sizes.converge) {
    const runs = new Map<string, Convergence[]>(sides.map(({ name }) => [name, []]));
    // The first round warms the server up and does not count.
    for (let round = -1; round < repeats; round++) {
      for (const side of turns(sides, round)) {
        const operator = side.operator(await freePorts(2));
        try {
          const figures = await convergence(client, operator, round < 0 ? 200 : objects);
          if (round >= 0) runs.get(side.name)!.push(figures);
        } finally {
          await operator.stop();
        }
        await cleared(client);
      }
    }
    for (const [side, figures] of runs) results.push({ side, objects, ...spreads(figures) });
  }
  return results;
}

async function syncs(
  client: Client,
  sides: readonly Side[],
  sizes: Sizes,
): Promise<{ synced: OperatorBench["sync"]; wireKb: Record<string, number> }> {
  const synced = [];
  const wireKb: Record<string, number> = {};
  for (const of of ["pods", "workers"] as const) {
    let filled = 0;
    for (const { objects, repeats } of sizes.sync) {
      await fill(client, of, filled, objects);
      filled = objects;
      wireKb[of] = (await wireSize(client, of)) / 1024;
      for (const metadataOnly of [false, true]) {
        const runs = new Map<string, Sync[]>(sides.map(({ name }) => [name, []]));
        for (let round = -1; round < repeats; round++) {
          for (const side of turns(sides, round)) {
            const program = side.cache(of, metadataOnly);
            try {
              const figures = await sync(program, objects);
              if (round >= 0) runs.get(side.name)!.push(figures);
            } finally {
              await program.stop();
            }
          }
        }
        for (const [side, figures] of runs)
          synced.push({ side, of: metadataOnly ? `${of}, metadata only` : of, objects, ...spreads(figures) });
      }
    }
  }
  return { synced, wireKb };
}

function turns(sides: readonly Side[], round: number): readonly Side[] {
  const first = Math.abs(round) % sides.length;
  return [...sides.slice(first), ...sides.slice(0, first)];
}

function spreads<T extends { readonly [K in keyof T]: number }>(figures: readonly T[]): Figures<T> {
  const names = Object.keys(figures[0] ?? {}) as (keyof T)[];
  return Object.fromEntries(names.map((name) => [name, spread(figures.map((one) => one[name]))])) as Figures<T>;
}

function print({ notBuilt, convergence, sync, wireKb, loadAverage }: OperatorBench): void {
  for (const [name, why] of Object.entries(notBuilt)) console.log(`${name} could not be built: ${why}`);
  console.table(
    convergence.map((one) => ({
      operator: one.side,
      objects: one.objects,
      "converged s": spreadText(one.seconds, 2),
      "CPU s": spreadText(one.cpuSeconds, 2),
      "peak RSS MB": spreadText(one.peakMb, 0),
      "change to reconcile p50 ms": spreadText(one.p50, 1),
      "p99 ms": spreadText(one.p99, 1),
    })),
  );
  console.table(
    sync.map((one) => ({
      cache: one.side,
      of: one.of,
      objects: one.objects,
      "sync ms": spreadText(one.milliseconds, 0),
      "heap KB each": spreadText(one.heapKbPerObject, 1),
      "CPU s": spreadText(one.cpuSeconds, 1),
      "peak RSS MB": spreadText(one.peakMb, 0),
    })),
  );
  for (const [of, size] of Object.entries(wireKb)) console.log(`${of}: ${size.toFixed(1)} KB of JSON each`);
  console.log(`load average of the machine: ${loadAverage.toFixed(1)}`);
}
