import { spreads } from "../frame/spread.ts";
import type { Row, Table } from "../frame/table.ts";
import { ask } from "./ask.ts";
import type { Contestant } from "./contestant.ts";
import type { Generator, Protocol } from "./generator.ts";
import { DEFINITIONS, definition, type SampleName, samples } from "./objects.ts";
import type { Sizes } from "./sizes.ts";

export interface Side {
  readonly contestant: Contestant;
  readonly load: Generator;
}
export type Sides = readonly [pintle: Side, real: Side];

const CELLS: readonly (readonly [SampleName, Protocol])[] = [
  ["ConfigMap", "h2"],
  ["ConfigMap", "h1"],
  ["custom resource", "h2"],
  ["Deployment", "h2"],
  ["Pod", "h2"],
];

/** Objects created per second over TLS. The two servers take turns in short rounds, so that whatever else the machine does hits both. */
export async function creates(sides: Sides, sizes: Sizes): Promise<Table> {
  for (const { contestant } of sides) await define(contestant);
  const rows: Row[] = [];
  for (const [kind, protocol] of CELLS) {
    for (const side of sides) await write(side, kind, protocol, 32, { count: sizes.warmUp });
    for (const concurrency of [1, 32]) rows.push(...(await cell(sides, sizes, kind, protocol, concurrency)));
    for (const { contestant } of sides) await ask(contestant.transport, "DELETE", samples[kind].path);
  }
  return {
    title: "Creates over TLS",
    columns: [
      { name: "creates", unit: "/s", better: "more", digits: 0 },
      { name: "p99", unit: "ms", better: "less", digits: 1 },
      { name: "server CPU", unit: "ms each", better: "less", digits: 2 },
      { name: "generator busy", unit: "cores", better: "less", digits: 2 },
    ],
    rows,
  };
}

async function cell(sides: Sides, sizes: Sizes, kind: SampleName, protocol: Protocol, concurrency: number): Promise<readonly Row[]> {
  const rounds: Written[][] = [[], []];
  for (let round = 0; round < sizes.rounds; round++) {
    for (const [side, one] of sides.entries())
      rounds[side]!.push(await write(one, kind, protocol, concurrency, { seconds: sizes.seconds }));
  }
  const name = `${kind}, ${protocol === "h2" ? "HTTP/2" : "HTTP/1.1"}, ${concurrency} at once`;
  return sides.map(({ contestant }, side) => ({ case: name, side: contestant.name, figures: spreads(rounds[side]!) }));
}

/** One side in one round. */
interface Written {
  readonly creates: number;
  readonly p99: number;
  readonly "server CPU": number;
  readonly "generator busy": number;
}

async function write(
  { contestant, load }: Side,
  kind: SampleName,
  protocol: Protocol,
  concurrency: number,
  until: { readonly seconds: number } | { readonly count: number },
): Promise<Written> {
  const { path, object } = samples[kind];
  const used = contestant.cpuSeconds();
  const done = await load.create({ protocol, path, body: JSON.stringify(object), first: fresh(), concurrency, ...until });
  const serverCpu = ((contestant.cpuSeconds() - used) * 1000) / done.Requests;
  const busy = done.Cpu / done.Seconds;
  return { creates: done.Requests / done.Seconds, p99: done.P99, "server CPU": serverCpu, "generator busy": busy };
}

let numbers = 0;
/** A million names that nobody had before. */
export function fresh(): number {
  numbers += 1_000_000;
  return numbers;
}

async function define({ transport }: Contestant): Promise<void> {
  await ask(transport, "POST", DEFINITIONS, definition);
  // Served a moment after it was accepted.
  while ((await ask(transport, "GET", samples["custom resource"].path)) !== 200);
}
