import { spreads } from "../frame/spread.ts";
import type { Row, Table } from "../frame/table.ts";
import { ask } from "./ask.ts";
import { fresh, type Side, type Sides } from "./creates.ts";
import type { Protocol } from "./generator.ts";
import { samples } from "./objects.ts";
import { stolenSeconds } from "./processes.ts";
import type { Sizes } from "./sizes.ts";

/** Of writes, and from a write until a watcher has it; `wrong` counts watchers that missed one or saw it out of order. */
export interface Watching {
  readonly "write p50": number;
  readonly "write p99": number;
  readonly "to watchers p50": number;
  readonly "to watchers p99": number;
  readonly events: number;
  readonly wrong: number;
  readonly "server busy": number;
  readonly "generator busy": number;
  /** What the host took away: slow answers of such a time may be its own. */
  readonly stolen: number;
}
export interface Load {
  readonly protocol: Protocol;
  readonly watchers: number;
  readonly connections: number;
  readonly rate: number;
}

/** Watchers of one collection while somebody writes into it at a steady rate: each must see every event, in order. */
export async function watchers(sides: Sides, { rounds, watchers: all, watchSeconds, steadySeconds }: Sizes): Promise<Table> {
  const rows: Row[] = [];
  const loads: readonly Load[] = [
    { protocol: "h2", watchers: 1, connections: 1, rate: 1000 },
    { protocol: "h2", watchers: all, connections: all / 10, rate: 100 },
    { protocol: "h2", watchers: all, connections: all / 10, rate: 1000 },
    { protocol: "h1", watchers: all, connections: all, rate: 1000 },
  ];
  for (const load of loads) {
    const seconds = load.watchers === 1 ? steadySeconds : watchSeconds;
    const figures: Watching[][] = [[], []];
    for (let round = 0; round < rounds; round++)
      for (const [side, one] of sides.entries()) figures[side]!.push(await watching(one, load, seconds));
    const name = `${load.watchers} watcher${load.watchers === 1 ? "" : "s"}, ${load.rate} writes/s, ${load.protocol === "h2" ? "HTTP/2" : "HTTP/1.1"}`;
    for (const [side, { contestant }] of sides.entries())
      rows.push({ case: name, side: contestant.name, figures: spreads(figures[side]!) });
  }
  return {
    title: "Watches",
    columns: [
      { name: "write p50", unit: "ms", better: "less", digits: 1 },
      { name: "write p99", unit: "ms", better: "less", digits: 1 },
      { name: "to watchers p50", unit: "ms", better: "less", digits: 1 },
      { name: "to watchers p99", unit: "ms", better: "less", digits: 1 },
      { name: "wrong", unit: "watchers", better: "less", digits: 0 },
      { name: "server busy", unit: "cores", better: "less", digits: 2 },
      { name: "generator busy", unit: "cores", better: "less", digits: 2 },
      { name: "stolen", unit: "cores", better: "less", digits: 3 },
    ],
    rows,
  };
}

export async function watching({ contestant, load }: Side, order: Load, seconds: number): Promise<Watching> {
  const { path, object } = samples.ConfigMap;
  const [used, taken] = [contestant.cpuSeconds(), stolenSeconds()];
  const seen = await load.watch({ ...order, path, body: JSON.stringify(object), first: fresh(), seconds });
  const took = seen.Seconds + seen.Behind;
  const busy = (contestant.cpuSeconds() - used) / took;
  const stolen = (stolenSeconds() - taken) / took;
  await ask(contestant.transport, "DELETE", path);
  if (seen.Fault !== "") console.log(`a watcher of ${contestant.name} ${seen.Fault}`);
  return {
    "write p50": seen.P50,
    "write p99": seen.P99,
    "to watchers p50": seen.LagP50,
    "to watchers p99": seen.LagP99,
    events: seen.Events,
    wrong: seen.Wrong,
    "server busy": busy,
    "generator busy": seen.Cpu / took,
    stolen,
  };
}
