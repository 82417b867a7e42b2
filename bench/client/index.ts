import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { loadavg } from "node:os";
import { fileURLToPath } from "node:url";
import type { ContestantName } from "./contestants.ts";
import { type ImportCost, importCosts } from "./imports.ts";
import type { Round } from "./load.ts";

/** Medians over the rounds. */
export interface LoadResult {
  readonly contestant: ContestantName;
  readonly concurrency: number;
  readonly requestsPerSecond: number;
  readonly cpuMicrosPerRequest: number;
  readonly rssMb: number;
  readonly connections: number;
}
/** Requests per second of pintle over those of client-node in the same round. */
export interface Ratio {
  readonly concurrency: number;
  readonly median: number;
  readonly least: number;
  readonly most: number;
}
export interface ClientBench {
  readonly load: readonly LoadResult[];
  readonly ratios: readonly Ratio[];
  readonly imports: Readonly<Record<string, ImportCost>>;
  /** Of the machine, at the end: figures taken on a busy one are worth little on their own. */
  readonly loadAverage: number;
}

const ROUNDS = 11;
const ROUND_MS = 700;
const WARM_UP_MS = 1000;
const CONCURRENCIES = [1, 32];
const NAMES = ["pintle", "client-node"] as const;

/**
 * Requests over TLS on loopback, pintle against @kubernetes/client-node, and what importing them costs. The two take
 * turns in short rounds and are compared round by round, so that whatever else the machine does hits both.
 */
export async function run(): Promise<ClientBench> {
  const server = start("server.ts");
  const { port } = (await message(server)) as { readonly port: number };
  const load: LoadResult[] = [];
  const ratios: Ratio[] = [];
  try {
    for (const concurrency of CONCURRENCIES) {
      const figures = await compete(server, `https://127.0.0.1:${port}`, concurrency);
      load.push(...figures.load);
      ratios.push(figures.ratio);
    }
  } finally {
    server.disconnect();
  }
  const result = { load, ratios, imports: await importCosts(), loadAverage: loadavg()[0]! };
  print(result);
  return result;
}

async function compete(
  server: ChildProcess,
  url: string,
  concurrency: number,
): Promise<{ readonly load: readonly LoadResult[]; readonly ratio: Ratio }> {
  const children = NAMES.map((name) => start("load.ts", [name, url, String(concurrency)]));
  const rounds: Round[][] = [[], []];
  const connections = [0, 0];
  try {
    for (const child of children) await message(child);
    for (let round = -1; round < ROUNDS; round++) {
      for (const [i, child] of children.entries()) {
        const { figures, opened } = await takeTurn(server, child, round < 0 ? WARM_UP_MS : ROUND_MS);
        connections[i]! += opened;
        if (round >= 0) rounds[i]!.push(figures);
      }
    }
  } finally {
    for (const child of children) child.disconnect();
  }
  const of = (i: number, figure: keyof Round) => median(rounds[i]!.map((one) => one[figure]));
  const load = NAMES.map((contestant, i) => ({
    contestant,
    concurrency,
    requestsPerSecond: of(i, "requestsPerSecond"),
    cpuMicrosPerRequest: of(i, "cpuMicrosPerRequest"),
    rssMb: of(i, "rssMb"),
    connections: connections[i]!,
  }));
  const pairs = rounds[0]!.map((ours, round) => ours.requestsPerSecond / rounds[1]![round]!.requestsPerSecond);
  return { load, ratio: { concurrency, median: median(pairs), least: Math.min(...pairs), most: Math.max(...pairs) } };
}

async function takeTurn(
  server: ChildProcess,
  child: ChildProcess,
  ms: number,
): Promise<{ readonly figures: Round; readonly opened: number }> {
  await counted(server);
  child.send(ms);
  const figures = (await message(child)) as Round;
  const seen = await counted(server);
  if (seen.requests !== figures.requests)
    throw new Error(`a client counts ${figures.requests} requests, but the server saw ${seen.requests}`);
  return { figures, opened: seen.connections };
}

/** What the server saw since it was last asked. */
async function counted(server: ChildProcess): Promise<{ readonly connections: number; readonly requests: number }> {
  server.send("count");
  return (await message(server)) as { readonly connections: number; readonly requests: number };
}

function median(figures: readonly number[]): number {
  return figures.toSorted((a, b) => a - b)[Math.floor(figures.length / 2)]!;
}

function start(file: string, args: readonly string[] = []): ChildProcess {
  return fork(fileURLToPath(new URL(file, import.meta.url)), args);
}

/** The next message of a child; its death before that is an error. */
async function message(child: ChildProcess): Promise<unknown> {
  const ended = new AbortController();
  const died = once(child, "exit", { signal: ended.signal }).then(([code]) => {
    throw new Error(`${child.spawnargs.join(" ")} ended with ${code}`);
  });
  died.catch(() => {});
  try {
    const [received] = await Promise.race([once(child, "message"), died]);
    return received;
  } finally {
    ended.abort();
  }
}

function print({ load, ratios, imports, loadAverage }: ClientBench): void {
  console.table(
    load.map((one) => ({
      client: one.contestant,
      "at once": one.concurrency,
      "requests/s": Math.round(one.requestsPerSecond),
      "CPU µs/request": Math.round(one.cpuMicrosPerRequest),
      "RSS MB": Math.round(one.rssMb),
      connections: one.connections,
    })),
  );
  for (const { concurrency, median, least, most } of ratios) {
    console.log(
      `pintle / client-node, ${concurrency} at once: ${median.toFixed(1)}x (${least.toFixed(1)} to ${most.toFixed(1)} in ${ROUNDS} rounds)`,
    );
  }
  console.table(
    Object.entries(imports).map(([what, cost]) => ({ import: what, ms: Math.round(cost.milliseconds), "RSS MB": Math.round(cost.rssMb) })),
  );
  console.log(`load average of the machine: ${loadAverage.toFixed(1)}`);
}
