import { setTimeout as delay } from "node:timers/promises";
import type { Client } from "pintle/client";
import { type Arena, arena } from "../frame/arena.ts";
import { crowd, NAMESPACE } from "../frame/crowd.ts";
import type { Measured } from "../frame/measured.ts";
import { type Options, type Outcome, sized } from "../frame/outcome.ts";
import type { Side } from "../frame/sides.ts";
import { percentile, spreads } from "../frame/spread.ts";
import type { Column, Row } from "../frame/table.ts";
import { turns } from "../frame/turns.ts";
import { Memcached } from "../peers/pintle/memcached.ts";

const SIZES = {
  quick: { objects: 30, rates: [20], seconds: 1, repeats: 1 },
  usual: { objects: 300, rates: [50, 150], seconds: 4, repeats: 3 },
  full: { objects: 3_000, rates: [50, 150, 300], seconds: 10, repeats: 5 },
};
const COLUMNS: readonly Column[] = [
  { name: "p50", unit: "ms", better: "less", digits: 1 },
  { name: "p99", unit: "ms", better: "less", digits: 1 },
  { name: "most", unit: "ms", better: "less", digits: 1 },
  { name: "CPU", unit: "% of a core", better: "less", digits: 0 },
];

interface Figures {
  readonly p50: number;
  readonly p99: number;
  readonly most: number;
  readonly CPU: number;
}

/** From sending a change to the start of the reconcile that sees it, while changes go on at a steady rate, each of another object. */
export async function run(options: Options): Promise<Outcome> {
  const { objects, rates, seconds, repeats } = sized(options, SIZES);
  return arena(options, async (place) => {
    const rounds = await turns(place.sides, { repeats, missing: place.missing }, (side, round) =>
      measure(place, side, round < 0 ? 20 : objects, rates, seconds),
    );
    const rows: Row[] = rates.flatMap((rate, i) =>
      [...rounds].map(([side, figures]) => ({ case: `${rate} changes/s`, side, figures: spreads(figures.map((each) => each[i]!)) })),
    );
    const note = `${objects} objects are there; each change makes the operator write a Deployment and a status, so the server is under that load too.`;
    return { tables: [{ title: "Change to reconcile", columns: COLUMNS, rows, note }], missing: place.missing };
  });
}

async function measure(place: Arena, side: Side, objects: number, rates: readonly number[], seconds: number): Promise<readonly Figures[]> {
  const all = crowd(place.client);
  const program = await place.operator(side);
  try {
    await all.grow(0, objects);
    await all.settled(objects);
    const figures: Figures[] = [];
    let size = 1;
    for (const rate of rates) {
      await program.quiet();
      size = (size % 9) + 1;
      figures.push(await changes(place.client, program, { count: Math.min(rate * seconds, objects), rate, size }));
    }
    return figures;
  } finally {
    await program.stop();
    await all.stop();
    await all.clear();
  }
}

async function changes(
  client: Client,
  program: Measured,
  { count, rate, size }: { readonly count: number; readonly rate: number; readonly size: number },
): Promise<Figures> {
  const sent = new Map<string, number>();
  const latencies: number[] = [];
  const used = program.cpu();
  const started = performance.now();
  const sending = Array.from({ length: count }, async (_, i) => {
    await delay((i * 1000) / rate);
    const name = `cache-${i}`;
    sent.set(name, performance.timeOrigin + performance.now());
    await client.patch(Memcached, { name, namespace: NAMESPACE }, { merge: { spec: { size } } });
  });
  const done = Promise.all(sending);
  while (latencies.length < count) {
    const [name = "", , micros] = (await program.line()).split(" ");
    const at = sent.get(name);
    if (at === undefined) continue;
    // A reconcile looks again after its own writes: only the first look counts.
    sent.delete(name);
    latencies.push(Number(micros) / 1000 - at);
  }
  await done;
  const cpu = (program.cpu() - used) / ((performance.now() - started) / 1000);
  latencies.sort((a, b) => a - b);
  return { p50: percentile(latencies, 50), p99: percentile(latencies, 99), most: latencies.at(-1)!, CPU: 100 * cpu };
}
