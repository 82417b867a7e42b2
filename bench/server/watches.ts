import type { HttpProtocol } from "../harness/load/load-generator.ts";
import { readStealSeconds } from "../harness/process/proc.ts";
import { computeSpreads } from "../harness/results/spread.ts";
import type { Row, Table } from "../harness/results/table.ts";
import { reserveNumbers, type ServersUnderLoad, type ServerUnderLoad } from "./creates.ts";
import { sampleObjects } from "./sample-objects.ts";
import { sendRequest } from "./send-request.ts";
import type { ServerSizes } from "./sizes.ts";

/** Latencies of the writes and of the delivery from write to watcher, in milliseconds. */
export interface WatchFigures {
  readonly "write p50": number;
  readonly "write p99": number;
  readonly "delivery p50": number;
  readonly "delivery p99": number;
  readonly events: number;
  /** Watchers that missed an event or received events out of order. */
  readonly incorrect: number;
  readonly "server CPU": number;
  readonly "generator CPU": number;
  /** Steal time of the hypervisor: explains slow responses of a round. */
  readonly steal: number;
}
export interface WatchLoad {
  readonly protocol: HttpProtocol;
  readonly watchers: number;
  readonly connections: number;
  readonly rate: number;
}

/** Measures watchers of one collection during writes at a steady rate, and checks that each receives every event in order. */
export async function measureWatches(
  servers: ServersUnderLoad,
  { rounds, watchers: watcherCount, watchSeconds, singleWatcherSeconds }: ServerSizes,
): Promise<Table> {
  const rows: Row[] = [];
  const loads: readonly WatchLoad[] = [
    { protocol: "h2", watchers: 1, connections: 1, rate: 1000 },
    { protocol: "h2", watchers: watcherCount, connections: watcherCount / 10, rate: 100 },
    { protocol: "h2", watchers: watcherCount, connections: watcherCount / 10, rate: 1000 },
    { protocol: "h1", watchers: watcherCount, connections: watcherCount, rate: 1000 },
  ];
  for (const load of loads) {
    const seconds = load.watchers === 1 ? singleWatcherSeconds : watchSeconds;
    const figures: WatchFigures[][] = [[], []];
    for (let round = 0; round < rounds; round++)
      for (const [side, underLoad] of servers.entries()) figures[side]!.push(await measureWatch(underLoad, load, seconds));
    const name = `${load.watchers} watcher${load.watchers === 1 ? "" : "s"}, ${load.rate} writes/s, ${load.protocol === "h2" ? "HTTP/2" : "HTTP/1.1"}`;
    for (const [side, { server }] of servers.entries())
      rows.push({ case: name, side: server.name, figures: computeSpreads(figures[side]!) });
  }
  return {
    title: "Watches",
    columns: [
      { name: "write p50", unit: "ms", better: "lower", digits: 1 },
      { name: "write p99", unit: "ms", better: "lower", digits: 1 },
      { name: "delivery p50", unit: "ms", better: "lower", digits: 1 },
      { name: "delivery p99", unit: "ms", better: "lower", digits: 1 },
      { name: "incorrect", unit: "watchers", better: "lower", digits: 0 },
      { name: "server CPU", unit: "cores", better: "lower", digits: 2 },
      { name: "generator CPU", unit: "cores", better: "lower", digits: 2 },
      { name: "steal", unit: "cores", better: "lower", digits: 3 },
    ],
    rows,
  };
}

export async function measureWatch({ server, generator }: ServerUnderLoad, load: WatchLoad, seconds: number): Promise<WatchFigures> {
  const { path, object } = sampleObjects.ConfigMap;
  const [cpuBefore, stealBefore] = [server.cpuSeconds(), readStealSeconds()];
  const report = await generator.watch({ ...load, path, body: JSON.stringify(object), first: reserveNumbers(), seconds });
  const elapsed = report.Seconds + report.DrainSeconds;
  const serverCpu = (server.cpuSeconds() - cpuBefore) / elapsed;
  const steal = (readStealSeconds() - stealBefore) / elapsed;
  await sendRequest(server.transport, "DELETE", path);
  if (report.FirstError !== "") console.log(`a watcher of ${server.name} ${report.FirstError}`);
  return {
    "write p50": report.P50,
    "write p99": report.P99,
    "delivery p50": report.LagP50,
    "delivery p99": report.LagP99,
    events: report.Events,
    incorrect: report.Incorrect,
    "server CPU": serverCpu,
    "generator CPU": report.Cpu / elapsed,
    steal,
  };
}
