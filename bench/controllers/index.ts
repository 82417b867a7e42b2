/**
 * Measures the rollout of many Deployments on simulated nodes of the embedded cluster, on all cores and on one, and the idle cost of
 * `pintle cluster up` afterwards.
 */
import { execFileSync } from "node:child_process";
import { type BenchmarkOptions, type BenchmarkResult, selectSizes } from "../harness/benchmark.ts";
import { startChild } from "../harness/process/child-program.ts";
import { computeSpread, computeSpreads, formatNumber } from "../harness/results/spread.ts";
import type { Column } from "../harness/results/table.ts";
import { buildPackages } from "../harness/subjects/build-packages.ts";
import { REPLICAS } from "./deployments.ts";
import { measureIdleCluster } from "./idle-cluster.ts";
import type { RolloutFigures } from "./rollout-process.ts";

const SIZES = {
  quick: { deployments: 20, repeats: 1, idleSeconds: 1 },
  default: { deployments: 1_000, repeats: 2, idleSeconds: 15 },
  full: { deployments: 5_000, repeats: 3, idleSeconds: 60 },
};
const ROLLOUT_COLUMNS: readonly Column[] = [
  { name: "rolled out", unit: "s", better: "lower", digits: 1 },
  { name: "CPU", unit: "s", better: "lower", digits: 1 },
  { name: "events written", unit: "s", better: "lower", digits: 1 },
];
const IDLE_COLUMNS: readonly Column[] = [
  { name: "CPU", unit: "% of a core", better: "lower", digits: 2 },
  { name: "RSS", unit: "MB", better: "lower", digits: 0 },
];

export async function run(options: BenchmarkOptions): Promise<BenchmarkResult> {
  const { deployments, repeats, idleSeconds } = selectSizes(options, SIZES);
  await buildPackages();
  const caseName = `${formatNumber(deployments)} Deployments, ${formatNumber(REPLICAS * deployments)} pods`;
  const rounds: RolloutFigures[] = [];
  const oneCoreRounds: RolloutFigures[] = [];
  for (let round = 0; round < repeats; round++) {
    rounds.push(await measureRollout(deployments, false));
    oneCoreRounds.push(await measureRollout(deployments, true));
  }
  const { CPU, RSS } = await measureIdleCluster(deployments, idleSeconds);
  return {
    tables: [
      {
        title: "Deployment rollout in the embedded cluster",
        columns: ROLLOUT_COLUMNS,
        rows: [
          { case: caseName, side: "pintle", figures: computeSpreads(rounds) },
          { case: `${caseName}, one core`, side: "pintle", figures: computeSpreads(oneCoreRounds) },
        ],
      },
      {
        title: "Idle embedded cluster",
        columns: IDLE_COLUMNS,
        rows: [{ case: caseName, side: "pintle", figures: { CPU: computeSpread([CPU]), RSS: computeSpread([RSS]) } }],
      },
    ],
  };
}

async function measureRollout(deployments: number, onOneCore: boolean): Promise<RolloutFigures> {
  const program = startChild(new URL("rollout-process.ts", import.meta.url), [String(deployments)]);
  await program.receive();
  if (onOneCore) execFileSync("taskset", ["-a", "-p", "-c", "0", String(program.pid)]);
  program.send("go");
  const figures = await program.receive<RolloutFigures>();
  await program.stop();
  return figures;
}
