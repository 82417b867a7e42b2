import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { cpus, loadavg, tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { authority } from "pintle/tls";
import { freePorts } from "../../conformance/real/ports.ts";
import { peer } from "../operator/peer.ts";
import { type Measured, measured } from "../operator/process.ts";
import { published } from "../operator/published.ts";
import { type Spread, spread, spreadText } from "../operator/spread.ts";
import { generators } from "../server/generator.ts";
import { review } from "./review.ts";

/** One round of one side. */
export interface Round {
  /** Questions a second, with as many at once as an API server may have. */
  readonly rate: number;
  /** Questions per second of CPU that the webhook used: what one core can answer. */
  readonly perCore: number;
  /** At 500 questions a second; milliseconds. */
  readonly p50: number;
  readonly p99: number;
  readonly peakMb: number;
}
type Figures = { readonly [K in keyof Round]: Spread };
export interface WebhookBench {
  readonly notBuilt: Readonly<Record<string, string>>;
  readonly results: readonly (Figures & { readonly side: string; readonly webhook: string })[];
  readonly cores: number;
  /** Of the machine, at the end: figures taken on a busy one are worth little on their own. */
  readonly loadAverage: number;
}

const STEADY = 500;
const AT_ONCE = 32;

/**
 * The same two webhooks on pods, on pintle and on controller-runtime, each in a process of its own, asked by one generator over
 * HTTPS as an API server asks. The sides take turns; the first round warms up and does not count.
 */
export async function run({ full = false }: { readonly full?: boolean | undefined } = {}): Promise<WebhookBench> {
  const { rounds, seconds } = full ? { rounds: 5, seconds: 5 } : { rounds: 3, seconds: 2 };
  const folder = mkdtempSync(path.join(tmpdir(), "pintle-bench-webhook-"));
  const ours = await published([fileURLToPath(new URL("sides/webhook.ts", import.meta.url))]);
  const load = await generators();
  try {
    const ca = authority("bench", Date.now());
    const served = ca.server({ commonName: "localhost" }, ["127.0.0.1"]);
    const asking = ca.client({ commonName: "kube-apiserver" });
    writeFileSync(path.join(folder, "tls.crt"), served.certificate);
    writeFileSync(path.join(folder, "tls.key"), served.key);
    const notBuilt: Record<string, string> = {};
    const theirs = await peer(AbortSignal.timeout(1_800_000)).catch((error: Error) => {
      notBuilt["controller-runtime"] = error.message;
      return undefined;
    });
    const start = (name: string, command: string, args: readonly string[]) => measured(command, args, {}, path.join(folder, `${name}.log`));
    const sides: readonly Side[] = [
      { name: "pintle", start: (port) => start("pintle", process.execPath, [path.join(ours, "webhook.js"), String(port), folder]) },
      ...(theirs === undefined
        ? []
        : [
            {
              name: "controller-runtime",
              start: (port: number) => start("go", theirs, ["webhook", `--port=${port}`, `--certificates=${folder}`]),
            },
          ]),
    ];
    const runs = new Map<string, Round[]>();
    for (let round = -1; round < rounds; round++) {
      for (const side of round % 2 === 0 ? sides : sides.toReversed()) {
        const [port = 0] = await freePorts(1);
        const program = side.start(port);
        await program.lines.next();
        const target = { server: `https://127.0.0.1:${port}`, authority: ca.certificate, certificate: asking.certificate, key: asking.key };
        const generator = load.to(target);
        try {
          for (const webhook of ["validate", "mutate"] as const) {
            const order = { protocol: "h1" as const, path: `/${webhook}--v1-pod`, body: review, first: 0 };
            await answering(() => generator.admit({ ...order, concurrency: AT_ONCE, seconds: 1, rate: 0 }));
            const figures = await one(program, generator, order, round < 0 ? 1 : seconds);
            const key = `${side.name} ${webhook}`;
            if (round >= 0) runs.set(key, [...(runs.get(key) ?? []), figures]);
          }
        } finally {
          generator.stop();
          await program.stop();
        }
      }
    }
    const results = [...runs].map(([key, figures]) => {
      const [side = "", webhook = ""] = key.split(" ");
      const names = Object.keys(figures[0]!) as (keyof Round)[];
      const spreads = Object.fromEntries(names.map((name) => [name, spread(figures.map((each) => each[name]))])) as Figures;
      return { side, webhook, ...spreads };
    });
    const bench = { notBuilt, results, cores: cpus().length, loadAverage: loadavg()[0]! };
    print(bench);
    return bench;
  } finally {
    await load.remove();
    for (const each of [folder, ours]) rmSync(each, { recursive: true, force: true });
  }
}

interface Side {
  readonly name: string;
  start(port: number): Measured;
}
type Generator = ReturnType<Awaited<ReturnType<typeof generators>>["to"]>;
type Order = Pick<Parameters<Generator["admit"]>[0], "protocol" | "path" | "body" | "first">;

async function one(program: Measured, generator: Generator, order: Order, seconds: number): Promise<Round> {
  const before = program.cpu();
  const fast = await generator.admit({ ...order, concurrency: AT_ONCE, seconds, rate: 0 });
  const used = program.cpu() - before;
  const steady = await generator.admit({ ...order, concurrency: AT_ONCE, seconds, rate: STEADY });
  return {
    rate: fast.Requests / fast.Seconds,
    perCore: fast.Requests / used,
    p50: steady.P50,
    p99: steady.P99,
    peakMb: program.memory().peakMb,
  };
}

/** A server may say that it has started before it listens. */
async function answering(ask: () => Promise<unknown>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await ask();
      return;
    } catch (error) {
      if (attempt === 50) throw error;
    }
  }
}

function print({ notBuilt, results, cores, loadAverage }: WebhookBench): void {
  for (const [name, why] of Object.entries(notBuilt)) console.log(`${name} could not be built: ${why}`);
  console.table(
    results.map((one) => ({
      webhook: `${one.side}, ${one.webhook}`,
      "asked/s": spreadText(one.rate, 0),
      "asked/s per core": spreadText(one.perCore, 0),
      "at 500/s: p50 ms": spreadText(one.p50, 2),
      "p99 ms": spreadText(one.p99, 2),
      "peak RSS MB": spreadText(one.peakMb, 0),
    })),
  );
  console.log(`${cores} cores, load average of the machine: ${loadAverage.toFixed(1)}`);
}
