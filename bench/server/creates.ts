import { ask } from "./ask.ts";
import type { Contestant, ContestantName } from "./contestant.ts";
import type { Generator, Protocol } from "./generator.ts";
import { DEFINITIONS, definition, type SampleName, samples } from "./objects.ts";
import { median, number, type Spread, spread, spreadText } from "./statistics.ts";

export interface Creates {
  readonly kind: SampleName;
  readonly protocol: Protocol;
  readonly concurrency: number;
  readonly rates: Readonly<Record<ContestantName, Spread>>;
  /** Ours over its, round by round. */
  readonly ratio: Spread;
  /** Milliseconds; medians over the rounds. */
  readonly p99: Readonly<Record<ContestantName, number>>;
  /** CPU milliseconds per object, of all processes of the server. */
  readonly serverCpu: Readonly<Record<ContestantName, number>>;
  /** Part of the time that one core of the generator was busy. */
  readonly generatorBusy: Readonly<Record<ContestantName, number>>;
}

export interface Side {
  readonly contestant: Contestant;
  readonly load: Generator;
}
export type Sides = readonly [pintle: Side, real: Side];

const ROUNDS = 5;
const SECONDS = 0.5;
/** Objects created before anything is measured, of each kind: what is compiled while it runs is to be compiled. */
const WARM_UP = 3000;
const CELLS: readonly (readonly [SampleName, Protocol])[] = [
  ["ConfigMap", "h2"],
  ["ConfigMap", "h1"],
  ["custom resource", "h2"],
  ["Deployment", "h2"],
  ["Pod", "h2"],
];

/** Objects created per second over TLS. The two servers take turns in short rounds, so that whatever else the machine does hits both. */
export async function creates(sides: Sides): Promise<readonly Creates[]> {
  for (const { contestant } of sides) await define(contestant);
  const results: Creates[] = [];
  for (const [kind, protocol] of CELLS) {
    for (const side of sides) await write(side, kind, protocol, 32, { count: WARM_UP });
    for (const concurrency of [1, 32]) results.push(await cell(sides, kind, protocol, concurrency));
    for (const { contestant } of sides) await ask(contestant.transport, "DELETE", samples[kind].path);
  }
  console.table(
    results.map((one) => ({
      create: `${one.kind}, ${one.protocol === "h2" ? "HTTP/2" : "HTTP/1.1"}, ${one.concurrency} at once`,
      "pintle /s": spreadText(one.rates.pintle),
      "kube-apiserver /s": spreadText(one.rates["kube-apiserver"]),
      ratio: spreadText(one.ratio, 1),
      "p99 ms": both(one.p99, 1),
      "server CPU ms": both(one.serverCpu, 2),
      "generator busy": both(one.generatorBusy, 2),
    })),
  );
  return results;
}

const both = (figures: Readonly<Record<ContestantName, number>>, digits: number) =>
  `${number(figures.pintle, digits)} / ${number(figures["kube-apiserver"], digits)}`;

async function cell(sides: Sides, kind: SampleName, protocol: Protocol, concurrency: number): Promise<Creates> {
  const rounds: Written[][] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    for (const [side, one] of sides.entries()) rounds[side]!.push(await write(one, kind, protocol, concurrency, { seconds: SECONDS }));
  }
  const figure = <T>(of: (side: number) => T) => ({ pintle: of(0), "kube-apiserver": of(1) });
  const all = (side: number, name: keyof Written) => rounds[side]!.map((one) => one[name]);
  return {
    kind,
    protocol,
    concurrency,
    rates: figure((side) => spread(all(side, "rate"))),
    ratio: spread(all(0, "rate").map((rate, round) => rate / all(1, "rate")[round]!)),
    p99: figure((side) => median(all(side, "p99"))),
    serverCpu: figure((side) => median(all(side, "serverCpu"))),
    generatorBusy: figure((side) => median(all(side, "busy"))),
  };
}

interface Written {
  readonly rate: number;
  readonly p99: number;
  readonly serverCpu: number;
  readonly busy: number;
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
  return { rate: done.Requests / done.Seconds, p99: done.P99, serverCpu, busy: done.Cpu / done.Seconds };
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
