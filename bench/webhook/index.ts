import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { createCertificateAuthority } from "pintle/tls";
import { freePorts } from "../../conformance/real/programs/ports.ts";
import { type BenchmarkOptions, type BenchmarkResult, selectSizes } from "../harness/benchmark.ts";
import { type LoadGenerator, prepareLoadGenerator } from "../harness/load/load-generator.ts";
import { type MeasuredProcess, startMeasured } from "../harness/process/measured-process.ts";
import { computeSpreads } from "../harness/results/spread.ts";
import type { Row } from "../harness/results/table.ts";
import { runRounds } from "../harness/rounds.ts";
import { packPublished } from "../harness/subjects/published-package.ts";
import { buildPeers } from "../peers/build-peers.ts";
import { admissionReview } from "./admission-review.ts";

/** The figures of one webhook of one side in one round. */
export interface WebhookFigures {
  /** Reviews per second with 32 concurrent requests. */
  readonly reviews: number;
  /** Reviews per second of CPU time of the webhook. */
  readonly "reviews per core": number;
  /** Latency at 500 reviews per second. */
  readonly "steady p50": number;
  readonly "steady p99": number;
  readonly "peak RSS": number;
}

const STEADY_RATE = 500;
const CONCURRENCY = 32;

/** Measures the same two webhooks for pods on pintle and on controller-runtime. One load generator calls both over HTTPS, as an API server does. */
export async function run(options: BenchmarkOptions): Promise<BenchmarkResult> {
  const { repeats, seconds } = selectSizes(options, {
    quick: { repeats: 1, seconds: 0.5 },
    default: { repeats: 3, seconds: 2 },
    full: { repeats: 5, seconds: 5 },
  });
  const folder = mkdtempSync(path.join(tmpdir(), "pintle-bench-webhook-"));
  const pintleFolder = await packPublished([fileURLToPath(new URL("pintle-webhooks.ts", import.meta.url))]);
  try {
    const startGenerator = await prepareLoadGenerator();
    const { commands, missing: notBuilt } = await buildPeers(["controller-runtime"]);
    const missing = { ...notBuilt };
    const ca = createCertificateAuthority("bench", Date.now());
    const serverCertificate = ca.issueServerCertificate({ commonName: "localhost" }, ["127.0.0.1"]);
    const clientCertificate = ca.issueClientCertificate({ commonName: "kube-apiserver" });
    writeFileSync(path.join(folder, "tls.crt"), serverCertificate.certificate);
    writeFileSync(path.join(folder, "tls.key"), serverCertificate.key);
    const start = (name: string, [command = "", ...args]: readonly string[]) =>
      startMeasured(command, args, {}, path.join(folder, `${name}.log`));
    const sides: WebhookSide[] = [
      {
        name: "pintle",
        start: (port) => start("pintle", [process.execPath, path.join(pintleFolder, "pintle-webhooks.js"), String(port), folder]),
      },
    ];
    const goCommand = commands.get("controller-runtime");
    if (goCommand !== undefined)
      sides.push({
        name: "controller-runtime",
        start: (port) => start("go", [...goCommand, "webhook", `--port=${port}`, `--certificates=${folder}`]),
      });
    const rounds = await runRounds(sides, { repeats, missing }, async (side, round) => {
      const [port = 0] = await freePorts(1);
      const program = side.start(port);
      await program.readLine();
      const { certificate, key } = clientCertificate;
      const generator = startGenerator({ server: `https://127.0.0.1:${port}`, authority: ca.certificate, certificate, key });
      try {
        const figures: Partial<Record<(typeof WEBHOOKS)[number], WebhookFigures>> = {};
        for (const webhook of WEBHOOKS) {
          const job = { protocol: "h1" as const, path: `/${webhook}--v1-pod`, body: admissionReview, first: 0 };
          await retryUntilServing(() => generator.review({ ...job, concurrency: CONCURRENCY, seconds: Math.min(1, seconds), rate: 0 }));
          figures[webhook] = await measureWebhook(program, generator, job, round < 0 ? Math.min(1, seconds) : seconds);
        }
        return figures as Record<(typeof WEBHOOKS)[number], WebhookFigures>;
      } finally {
        generator.stop();
        await program.stop();
      }
    });
    const rows = WEBHOOKS.flatMap((webhook) =>
      [...rounds].map(
        ([side, figures]): Row => ({ case: webhook, side, figures: computeSpreads(figures.map((byWebhook) => byWebhook[webhook])) }),
      ),
    );
    return { tables: [{ title: "Webhooks", columns: COLUMNS, rows }], missing };
  } finally {
    for (const temporary of [folder, pintleFolder]) rmSync(temporary, { recursive: true, force: true });
  }
}

const WEBHOOKS = ["validate", "mutate"] as const;
const COLUMNS = [
  { name: "reviews", unit: "/s", better: "higher", digits: 0 },
  { name: "reviews per core", unit: "/s", better: "higher", digits: 0 },
  { name: "steady p50", unit: "ms at 500/s", better: "lower", digits: 2 },
  { name: "steady p99", unit: "ms at 500/s", better: "lower", digits: 2 },
  { name: "peak RSS", unit: "MB", better: "lower", digits: 0 },
] as const;

interface WebhookSide {
  readonly name: string;
  start(port: number): MeasuredProcess;
}
type ReviewJob = Pick<Parameters<LoadGenerator["review"]>[0], "protocol" | "path" | "body" | "first">;

async function measureWebhook(
  program: MeasuredProcess,
  generator: LoadGenerator,
  job: ReviewJob,
  seconds: number,
): Promise<WebhookFigures> {
  const cpuBefore = program.cpuSeconds();
  const saturated = await generator.review({ ...job, concurrency: CONCURRENCY, seconds, rate: 0 });
  const cpu = program.cpuSeconds() - cpuBefore;
  const steady = await generator.review({ ...job, concurrency: CONCURRENCY, seconds, rate: STEADY_RATE });
  return {
    reviews: saturated.Requests / saturated.Seconds,
    "reviews per core": saturated.Requests / cpu,
    "steady p50": steady.P50,
    "steady p99": steady.P99,
    "peak RSS": program.readMemory().peakMb,
  };
}

/** Retries: controller-runtime prints "started" before its server listens. */
async function retryUntilServing(request: () => Promise<unknown>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await request();
      return;
    } catch (error) {
      if (attempt === 50) throw error;
    }
  }
}
