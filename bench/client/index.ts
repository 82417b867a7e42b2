import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { type Options, type Outcome, sized } from "../frame/outcome.ts";
import { spreads } from "../frame/spread.ts";
import type { Row } from "../frame/table.ts";
import { importCosts } from "./imports.ts";
import type { Round } from "./load.ts";

const SIZES = {
  quick: { rounds: 1, ms: 100, imports: 1 },
  usual: { rounds: 9, ms: 700, imports: 5 },
  full: { rounds: 15, ms: 2000, imports: 9 },
};
type Sizes = (typeof SIZES)["usual"];
const CONCURRENCIES = [1, 32];
const NAMES = ["pintle", "client-node"] as const;

/**
 * Requests over TLS on loopback, pintle against @kubernetes/client-node, and what importing them costs. The two take
 * turns in short rounds and are compared round by round, so that whatever else the machine does hits both.
 */
export async function run(options: Options): Promise<Outcome> {
  const sizes = sized(options, SIZES);
  const server = start("server.ts");
  const { port } = (await message(server)) as { readonly port: number };
  const rows: Row[] = [];
  try {
    for (const concurrency of CONCURRENCIES) rows.push(...(await compete(server, `https://127.0.0.1:${port}`, concurrency, sizes)));
  } finally {
    server.disconnect();
  }
  return { tables: [{ title: "Requests", columns: COLUMNS, rows }, await importCosts(sizes.imports)] };
}

const COLUMNS = [
  { name: "requests", unit: "/s", better: "more", digits: 0 },
  { name: "CPU", unit: "µs each", better: "less", digits: 0 },
  { name: "RSS", unit: "MB", better: "less", digits: 0 },
  { name: "connections", unit: "opened in a round", better: "less", digits: 0 },
] as const;

async function compete(server: ChildProcess, url: string, concurrency: number, { rounds, ms }: Sizes): Promise<readonly Row[]> {
  const children = NAMES.map((name) => start("load.ts", [name, url, String(concurrency)]));
  const figures: Figures[][] = [[], []];
  try {
    for (const child of children) await message(child);
    for (let round = -1; round < rounds; round++) {
      for (const [i, child] of children.entries()) {
        const seen = await takeTurn(server, child, ms);
        if (round >= 0) figures[i]!.push(seen);
      }
    }
  } finally {
    for (const child of children) child.disconnect();
  }
  return NAMES.map((side, i) => ({ case: `${concurrency} at once`, side, figures: spreads(figures[i]!) }));
}

/** One round of one side. */
interface Figures {
  readonly requests: number;
  readonly CPU: number;
  readonly RSS: number;
  readonly connections: number;
}

async function takeTurn(server: ChildProcess, child: ChildProcess, ms: number): Promise<Figures> {
  await counted(server);
  child.send(ms);
  const round = (await message(child)) as Round;
  const seen = await counted(server);
  if (seen.requests !== round.requests) throw new Error(`a client counts ${round.requests} requests, but the server saw ${seen.requests}`);
  return { requests: round.requestsPerSecond, CPU: round.cpuMicrosPerRequest, RSS: round.rssMb, connections: seen.connections };
}

/** What the server saw since it was last asked. */
async function counted(server: ChildProcess): Promise<{ readonly connections: number; readonly requests: number }> {
  server.send("count");
  return (await message(server)) as { readonly connections: number; readonly requests: number };
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
