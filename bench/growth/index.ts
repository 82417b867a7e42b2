import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { type Client, clientOver } from "pintle/client";
import { install } from "../frame/arena.ts";
import type { Curve } from "../frame/curve.ts";
import { type Measured, measured } from "../frame/measured.ts";
import { type Options, type Outcome, sized } from "../frame/outcome.ts";
import { published } from "../frame/published.ts";
import { median, spread } from "../frame/spread.ts";
import type { Row, Table } from "../frame/table.ts";
import { Memcached } from "../peers/pintle/memcached.ts";
import { build } from "../server/build.ts";
import { type Contestant, embedded } from "../server/contestant.ts";
import { generators } from "../server/generator.ts";
import { manyControllers } from "./controllers.ts";
import { manyObjects } from "./objects.ts";
import { manyWatchers } from "./watchers.ts";

const SIZES = {
  quick: { objects: [10, 20, 40], watchers: [10, 20], controllers: [1, 2], repeats: 1 },
  usual: { objects: [250, 500, 1_000, 2_000], watchers: [50, 100, 200, 400, 800], controllers: [1, 2, 4, 8, 16, 32], repeats: 3 },
  full: {
    objects: [500, 1_000, 2_000, 4_000, 8_000, 16_000],
    watchers: [50, 100, 200, 400, 800, 1_600],
    controllers: [1, 2, 4, 8, 16, 32, 64],
    repeats: 5,
  },
};

/** What the curves are measured on: the embedded API server in a process of its own, and our programs beside it. */
export interface Ground {
  readonly contestant: Contestant;
  readonly client: Client;
  start(script: string, args: readonly string[]): Measured;
}
/** One figure of one size, taken several times. */
export type Point = Readonly<Record<string, number>>;

/** How costs grow with the number of objects, of watchers and of controllers; each size is measured in turn, round by round. */
export async function run(options: Options): Promise<Outcome> {
  const sizes = sized(options, SIZES);
  await build();
  const load = await generators();
  const logs = mkdtempSync(path.join(tmpdir(), "pintle-bench-growth-"));
  const here = (file: string) => fileURLToPath(new URL(file, import.meta.url));
  const folder = await published([here("../peers/pintle/operator.ts"), here("sides/many.ts")]);
  const contestant = await embedded();
  const client = clientOver(contestant.transport);
  const generator = load.to(contestant.target);
  const start = (script: string, args: readonly string[]) =>
    measured(
      process.execPath,
      [path.join(folder, script), ...args],
      { KUBECONFIG: contestant.kubeconfig },
      path.join(logs, `${path.basename(script)}.log`),
    );
  const ground: Ground = { contestant, client, start };
  try {
    await install(client, Memcached.crd());
    const parts = [
      { of: "objects", sizes: sizes.objects, one: (n: number) => manyObjects(ground, n) },
      { of: "watchers", sizes: sizes.watchers, one: (n: number) => manyWatchers({ contestant, load: generator }, n) },
      { of: "controllers", sizes: sizes.controllers, one: (n: number) => manyControllers(ground, n) },
    ];
    const outcomes = [];
    for (const part of parts) outcomes.push(await grown(part, sizes.repeats));
    return { tables: outcomes.map(({ table }) => table), curves: outcomes.flatMap(({ curves }) => curves) };
  } finally {
    generator.stop();
    await contestant.stop();
    for (const each of [folder, logs]) rmSync(each, { recursive: true, force: true });
  }
}

interface Part {
  readonly of: string;
  readonly sizes: readonly number[];
  one(n: number): Promise<Point>;
}

async function grown({ of, sizes, one }: Part, repeats: number): Promise<{ readonly table: Table; readonly curves: readonly Curve[] }> {
  const points = new Map<number, Point[]>(sizes.map((n) => [n, []]));
  for (let round = -1; round < repeats; round++)
    for (const n of round < 0 ? sizes.slice(0, 1) : sizes) {
      const point = await one(n);
      if (round >= 0) points.get(n)!.push(point);
    }
  const names = Object.keys(points.get(sizes[0]!)![0]!);
  const rows = sizes.map(
    (n): Row => ({
      case: `${n} ${of}`,
      side: "pintle",
      figures: Object.fromEntries(names.map((name) => [name, spread(points.get(n)!.map((point) => point[name]!))])),
    }),
  );
  const columns = names.map((name) => ({ name, unit: "s", better: "less" as const, digits: 2 }));
  const curves = names.map((name) => ({
    title: `${name}, by ${of}`,
    side: "pintle",
    of,
    unit: "s of CPU",
    points: sizes.map((n) => ({ n, cost: Math.max(0.01, median(points.get(n)!.map((point) => point[name]!))) })),
  }));
  return { table: { title: `Growth by ${of}`, columns, rows }, curves };
}
