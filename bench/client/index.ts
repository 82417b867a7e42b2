import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { type BenchmarkOptions, type BenchmarkResult, selectSizes } from "../harness/benchmark.ts";
import { computeSpreads } from "../harness/results/spread.ts";
import type { Row } from "../harness/results/table.ts";
import { measureImports } from "./import-cost.ts";
import type { LoadRound } from "./load.ts";

const SIZES = {
  quick: { rounds: 1, ms: 100, imports: 1 },
  default: { rounds: 9, ms: 700, imports: 5 },
  full: { rounds: 15, ms: 2000, imports: 9 },
};
type Sizes = (typeof SIZES)["default"];
const CONCURRENCIES = [1, 32];
const NAMES = ["pintle", "client-node"] as const;

/**
 * Measures requests over TLS on loopback with pintle and @kubernetes/client-node, and the cost of importing them. The clients are measured
 * in turn in short rounds, so that other load on the machine affects both.
 */
export async function run(options: BenchmarkOptions): Promise<BenchmarkResult> {
  const sizes = selectSizes(options, SIZES);
  const server = forkScript("server.ts");
  const { port } = (await receiveMessage(server)) as { readonly port: number };
  const rows: Row[] = [];
  try {
    for (const concurrency of CONCURRENCIES)
      rows.push(...(await measureConcurrency(server, `https://127.0.0.1:${port}`, concurrency, sizes)));
  } finally {
    server.disconnect();
  }
  return { tables: [{ title: "Requests", columns: COLUMNS, rows }, await measureImports(sizes.imports)] };
}

const COLUMNS = [
  { name: "requests", unit: "/s", better: "higher", digits: 0 },
  { name: "CPU", unit: "µs each", better: "lower", digits: 0 },
  { name: "RSS", unit: "MB", better: "lower", digits: 0 },
  { name: "connections", unit: "opened per round", better: "lower", digits: 0 },
] as const;

async function measureConcurrency(server: ChildProcess, url: string, concurrency: number, { rounds, ms }: Sizes): Promise<readonly Row[]> {
  const children = NAMES.map((name) => forkScript("load.ts", [name, url, String(concurrency)]));
  const figures: ClientFigures[][] = [[], []];
  try {
    for (const child of children) await receiveMessage(child);
    for (let round = -1; round < rounds; round++) {
      for (const [i, child] of children.entries()) {
        const measured = await measureRound(server, child, ms);
        if (round >= 0) figures[i]!.push(measured);
      }
    }
  } finally {
    for (const child of children) child.disconnect();
  }
  return NAMES.map((side, i) => ({ case: `${concurrency} concurrent`, side, figures: computeSpreads(figures[i]!) }));
}

/** The figures of one client in one round. */
interface ClientFigures {
  readonly requests: number;
  readonly CPU: number;
  readonly RSS: number;
  readonly connections: number;
}

async function measureRound(server: ChildProcess, child: ChildProcess, ms: number): Promise<ClientFigures> {
  await readServerCounters(server);
  child.send(ms);
  const round = (await receiveMessage(child)) as LoadRound;
  const counters = await readServerCounters(server);
  if (counters.requests !== round.requests)
    throw new Error(`the client counted ${round.requests} requests, the server ${counters.requests}`);
  return { requests: round.requestsPerSecond, CPU: round.cpuMicrosPerRequest, RSS: round.rssMb, connections: counters.connections };
}

/** Reads and resets the counters of the server. */
async function readServerCounters(server: ChildProcess): Promise<{ readonly connections: number; readonly requests: number }> {
  server.send("count");
  return (await receiveMessage(server)) as { readonly connections: number; readonly requests: number };
}

function forkScript(file: string, args: readonly string[] = []): ChildProcess {
  return fork(fileURLToPath(new URL(file, import.meta.url)), args);
}

/** Resolves with the next message of a child process; rejects if it exits before. */
async function receiveMessage(child: ChildProcess): Promise<unknown> {
  const settled = new AbortController();
  const exited = once(child, "exit", { signal: settled.signal }).then(([code]) => {
    throw new Error(`${child.spawnargs.join(" ")} exited with code ${code}`);
  });
  exited.catch(() => {});
  try {
    const [received] = await Promise.race([once(child, "message"), exited]);
    return received;
  } finally {
    settled.abort();
  }
}
