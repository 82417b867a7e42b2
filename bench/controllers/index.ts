/**
 * How fast the embedded cluster's controllers settle a crowd of Deployments on simulated nodes, also on one core alone, and what
 * `pintle cluster up` costs when they have.
 */
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { type Options, type Outcome, sized } from "../frame/outcome.ts";
import { number, spread, spreads } from "../frame/spread.ts";
import type { Column } from "../frame/table.ts";
import { build } from "../server/build.ts";
import { child } from "../server/child.ts";
import { REPLICAS } from "./crowd.ts";
import { resting } from "./resting.ts";
import type { Settling } from "./settling.ts";

const SIZES = {
  quick: { deployments: 20, repeats: 1, rest: 1 },
  usual: { deployments: 1_000, repeats: 2, rest: 15 },
  full: { deployments: 5_000, repeats: 3, rest: 60 },
};
const SETTLING: readonly Column[] = [
  { name: "settled", unit: "s", better: "less", digits: 1 },
  { name: "CPU", unit: "s", better: "less", digits: 1 },
  { name: "events written", unit: "s", better: "less", digits: 1 },
];
const RESTING: readonly Column[] = [
  { name: "CPU", unit: "% of a core", better: "less", digits: 2 },
  { name: "RSS", unit: "MB", better: "less", digits: 0 },
];

export async function run(options: Options): Promise<Outcome> {
  const { deployments, repeats, rest } = sized(options, SIZES);
  await build();
  const many = `${number(deployments)} Deployments, ${number(REPLICAS * deployments)} pods`;
  const rounds: Settling[] = [];
  const alone: Settling[] = [];
  for (let round = 0; round < repeats; round++) {
    rounds.push(await settling(deployments, false));
    alone.push(await settling(deployments, true));
  }
  const { CPU, RSS } = await resting(deployments, rest);
  return {
    tables: [
      {
        title: "The embedded cluster's controllers",
        columns: SETTLING,
        rows: [
          { case: many, side: "pintle", figures: spreads(rounds) },
          { case: `${many}, one core`, side: "pintle", figures: spreads(alone) },
        ],
      },
      {
        title: "The embedded cluster at rest",
        columns: RESTING,
        rows: [{ case: many, side: "pintle", figures: { CPU: spread([CPU]), RSS: spread([RSS]) } }],
      },
    ],
  };
}

async function settling(deployments: number, onOneCore: boolean): Promise<Settling> {
  const program = child(fileURLToPath(new URL("settling.ts", import.meta.url)), [String(deployments)]);
  await program.message();
  if (onOneCore) execFileSync("taskset", ["-a", "-p", "-c", "0", String(program.pid)]);
  program.send("go");
  const figures = await program.message<Settling>();
  await program.stop();
  return figures;
}
