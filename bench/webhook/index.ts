import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { authority } from "pintle/tls";
import { freePorts } from "../../conformance/real/ports.ts";
import { type Measured, measured } from "../frame/measured.ts";
import { type Options, type Outcome, sized } from "../frame/outcome.ts";
import { published } from "../frame/published.ts";
import { spreads } from "../frame/spread.ts";
import type { Row } from "../frame/table.ts";
import { turns } from "../frame/turns.ts";
import { built } from "../peers/built.ts";
import { generators } from "../server/generator.ts";
import { review } from "./review.ts";

/** One round of one side. */
export interface Round {
  /** Questions a second, with as many at once as an API server may have. */
  readonly asked: number;
  /** Questions per second of CPU that the webhook used: what one core can answer. */
  readonly "asked per core": number;
  /** At 500 questions a second. */
  readonly "steady p50": number;
  readonly "steady p99": number;
  readonly "peak RSS": number;
}

const STEADY = 500;
const AT_ONCE = 32;

/**
 * The same two webhooks on pods, on pintle and on controller-runtime, each in a process of its own, asked by one generator over
 * HTTPS as an API server asks. The sides take turns; the first round warms up and does not count.
 */
export async function run(options: Options): Promise<Outcome> {
  const { repeats, seconds } = sized(options, {
    quick: { repeats: 1, seconds: 0.5 },
    usual: { repeats: 3, seconds: 2 },
    full: { repeats: 5, seconds: 5 },
  });
  const folder = mkdtempSync(path.join(tmpdir(), "pintle-bench-webhook-"));
  const ours = await published([fileURLToPath(new URL("sides/webhook.ts", import.meta.url))]);
  try {
    const load = await generators();
    const { commands, missing: notBuilt } = await built(["controller-runtime"]);
    const missing = { ...notBuilt };
    const ca = authority("bench", Date.now());
    const served = ca.server({ commonName: "localhost" }, ["127.0.0.1"]);
    const asking = ca.client({ commonName: "kube-apiserver" });
    writeFileSync(path.join(folder, "tls.crt"), served.certificate);
    writeFileSync(path.join(folder, "tls.key"), served.key);
    const start = (name: string, [command = "", ...args]: readonly string[]) =>
      measured(command, args, {}, path.join(folder, `${name}.log`));
    const sides: Side[] = [
      { name: "pintle", start: (port) => start("pintle", [process.execPath, path.join(ours, "webhook.js"), String(port), folder]) },
    ];
    const theirs = commands.get("controller-runtime");
    if (theirs !== undefined)
      sides.push({
        name: "controller-runtime",
        start: (port) => start("go", [...theirs, "webhook", `--port=${port}`, `--certificates=${folder}`]),
      });
    const rounds = await turns(sides, { repeats, missing }, async (side, round) => {
      const [port = 0] = await freePorts(1);
      const program = side.start(port);
      await program.line();
      const target = { server: `https://127.0.0.1:${port}`, authority: ca.certificate, certificate: asking.certificate, key: asking.key };
      const generator = load.to(target);
      try {
        const figures: Partial<Record<(typeof WEBHOOKS)[number], Round>> = {};
        for (const webhook of WEBHOOKS) {
          const order = { protocol: "h1" as const, path: `/${webhook}--v1-pod`, body: review, first: 0 };
          await answering(() => generator.admit({ ...order, concurrency: AT_ONCE, seconds: Math.min(1, seconds), rate: 0 }));
          figures[webhook] = await one(program, generator, order, round < 0 ? Math.min(1, seconds) : seconds);
        }
        return figures as Record<(typeof WEBHOOKS)[number], Round>;
      } finally {
        generator.stop();
        await program.stop();
      }
    });
    const rows = WEBHOOKS.flatMap((webhook) =>
      [...rounds].map(([side, all]): Row => ({ case: webhook, side, figures: spreads(all.map((each) => each[webhook])) })),
    );
    return { tables: [{ title: "Webhooks", columns: COLUMNS, rows }], missing };
  } finally {
    for (const each of [folder, ours]) rmSync(each, { recursive: true, force: true });
  }
}

const WEBHOOKS = ["validate", "mutate"] as const;
const COLUMNS = [
  { name: "asked", unit: "/s", better: "more", digits: 0 },
  { name: "asked per core", unit: "/s", better: "more", digits: 0 },
  { name: "steady p50", unit: "ms at 500/s", better: "less", digits: 2 },
  { name: "steady p99", unit: "ms at 500/s", better: "less", digits: 2 },
  { name: "peak RSS", unit: "MB", better: "less", digits: 0 },
] as const;

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
    asked: fast.Requests / fast.Seconds,
    "asked per core": fast.Requests / used,
    "steady p50": steady.P50,
    "steady p99": steady.P99,
    "peak RSS": program.memory().peakMb,
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
