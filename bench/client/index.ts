import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { ContestantName } from "./contestants.ts";
import { type ImportCost, importCosts } from "./imports.ts";

export interface LoadResult {
  readonly contestant: ContestantName;
  readonly concurrency: number;
  readonly requestsPerSecond: number;
  readonly cpuMicrosPerRequest: number;
  readonly rssMb: number;
  readonly connections: number;
}
export interface ClientBench {
  readonly load: readonly LoadResult[];
  /** Requests per second of pintle over those of client-node, by concurrency. */
  readonly ratio: Readonly<Record<string, number>>;
  readonly imports: Readonly<Record<string, ImportCost>>;
}

const SECONDS = 5;
const CONCURRENCIES = [1, 32];

/** Requests over TLS on loopback, pintle against @kubernetes/client-node, and what importing them costs. */
export async function run(): Promise<ClientBench> {
  const server = start("server.ts");
  const { port } = (await message(server)) as { readonly port: number };
  const load: LoadResult[] = [];
  try {
    for (const concurrency of CONCURRENCIES) {
      for (const contestant of ["pintle", "client-node"] as const)
        load.push(await measure(server, contestant, `https://127.0.0.1:${port}`, concurrency));
    }
  } finally {
    server.disconnect();
  }
  const rate = (contestant: ContestantName, concurrency: number) =>
    load.find((one) => one.contestant === contestant && one.concurrency === concurrency)?.requestsPerSecond ?? Number.NaN;
  const ratio = Object.fromEntries(
    CONCURRENCIES.map((concurrency) => [concurrency, rate("pintle", concurrency) / rate("client-node", concurrency)]),
  );
  const imports = await importCosts();
  print(load, ratio, imports);
  return { load, ratio, imports };
}

async function measure(server: ChildProcess, contestant: ContestantName, url: string, concurrency: number): Promise<LoadResult> {
  server.send("reset");
  await message(server);
  const child = start("load.ts", [contestant, url, String(concurrency), String(SECONDS)]);
  const figures = (await message(child)) as Pick<LoadResult, "requestsPerSecond" | "cpuMicrosPerRequest" | "rssMb">;
  server.send("count");
  const { connections } = (await message(server)) as { readonly connections: number };
  return { contestant, concurrency, ...figures, connections };
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

function print(load: readonly LoadResult[], ratio: ClientBench["ratio"], imports: ClientBench["imports"]): void {
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
  for (const [concurrency, times] of Object.entries(ratio))
    console.log(`pintle / client-node, ${concurrency} at once: ${times.toFixed(1)}x`);
  console.table(
    Object.entries(imports).map(([what, cost]) => ({ import: what, ms: Math.round(cost.milliseconds), "RSS MB": Math.round(cost.rssMb) })),
  );
}
