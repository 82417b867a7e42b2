import { ask } from "./ask.ts";
import type { ContestantName } from "./contestant.ts";
import { fresh, type Sides } from "./creates.ts";
import type { Protocol, Watched } from "./generator.ts";
import { samples } from "./objects.ts";
import { median, number } from "./statistics.ts";

export interface Watching {
  readonly contestant: ContestantName;
  readonly protocol: Protocol;
  readonly watchers: number;
  readonly writesPerSecond: number;
  /** Medians over the rounds, milliseconds: of writes, and from a write until a watcher has it. */
  readonly writeP50: number;
  readonly writeP99: number;
  readonly lagP50: number;
  readonly lagP99: number;
  /** Over all rounds: events that arrived, and watchers that missed one or saw it out of order. */
  readonly events: number;
  readonly wrong: number;
  /** What was wrong with one of them. */
  readonly fault: string;
  /** Cores that were busy on either side. */
  readonly serverCores: number;
  readonly generatorCores: number;
}

const ROUNDS = 3;
const SECONDS = 3;
const CELLS: readonly { readonly protocol: Protocol; readonly watchers: number; readonly connections: number; readonly rate: number }[] = [
  { protocol: "h2", watchers: 500, connections: 50, rate: 100 },
  { protocol: "h2", watchers: 500, connections: 50, rate: 1000 },
  { protocol: "h1", watchers: 500, connections: 500, rate: 1000 },
];

/** Watchers of one collection while somebody writes into it at a steady rate: each must see every event, in order. */
export async function watchers(sides: Sides): Promise<readonly Watching[]> {
  const results: Watching[] = [];
  const { path, object } = samples.ConfigMap;
  for (const cell of CELLS) {
    const rounds = sides.map(() => [] as { readonly seen: Watched; readonly serverCores: number }[]);
    for (let round = 0; round < ROUNDS; round++) {
      for (const [side, { contestant, load }] of sides.entries()) {
        const used = contestant.cpuSeconds();
        const seen = await load.watch({ ...cell, path, body: JSON.stringify(object), first: fresh(), seconds: SECONDS });
        rounds[side]!.push({ seen, serverCores: (contestant.cpuSeconds() - used) / (seen.Seconds + seen.Behind) });
        await ask(contestant.transport, "DELETE", path);
      }
    }
    for (const [side, { contestant }] of sides.entries()) {
      const of = (figure: (seen: Watched) => number) => median(rounds[side]!.map(({ seen }) => figure(seen)));
      const sum = (figure: (seen: Watched) => number) => rounds[side]!.reduce((total, { seen }) => total + figure(seen), 0);
      results.push({
        contestant: contestant.name,
        protocol: cell.protocol,
        watchers: cell.watchers,
        writesPerSecond: cell.rate,
        writeP50: of((seen) => seen.P50),
        writeP99: of((seen) => seen.P99),
        lagP50: of((seen) => seen.LagP50),
        lagP99: of((seen) => seen.LagP99),
        events: sum((seen) => seen.Events),
        wrong: sum((seen) => seen.Wrong),
        fault: rounds[side]!.find(({ seen }) => seen.Fault !== "")?.seen.Fault ?? "",
        serverCores: median(rounds[side]!.map(({ serverCores }) => serverCores)),
        generatorCores: of((seen) => seen.Cpu / (seen.Seconds + seen.Behind)),
      });
    }
  }
  console.table(
    results.map((one) => ({
      watch: `${one.watchers} watchers, ${one.writesPerSecond} writes/s, ${one.protocol === "h2" ? "HTTP/2" : "HTTP/1.1"}`,
      server: one.contestant,
      "write p50 ms": number(one.writeP50, 1),
      "write p99 ms": number(one.writeP99, 1),
      "to watchers p50 ms": number(one.lagP50, 1),
      "p99 ms": number(one.lagP99, 1),
      events: one.events,
      wrong: one.wrong,
      "cores busy, server / generator": `${number(one.serverCores, 2)} / ${number(one.generatorCores, 2)}`,
    })),
  );
  for (const { contestant, fault } of results) if (fault !== "") console.log(`a watcher of ${contestant} ${fault}`);
  return results;
}
