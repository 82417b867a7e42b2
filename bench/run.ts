/**
 * `npm run bench [name...]`: every folder here with an index.ts that exports `run` is a benchmark; it measures us beside our peers in one
 * run. Prints a table, and keeps bench/results/<name>.json and .svg (not committed: docs/performance.md is written from them).
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { chart } from "./frame/chart.ts";
import { growthText } from "./frame/curve.ts";
import { BUSY, load, machine } from "./frame/machine.ts";
import { compared, noise, noiseText } from "./frame/noise.ts";
import type { Options, Outcome } from "./frame/outcome.ts";
import type { Kept } from "./frame/result.ts";
import { tableText } from "./frame/table.ts";

const root = path.dirname(fileURLToPath(import.meta.url));
const results = path.join(root, "results");
const all = readdirSync(root).filter((name) => existsSync(path.join(root, name, "index.ts")));
const { values, positionals } = parseArgs({
  options: { full: { type: "boolean" }, quick: { type: "boolean" }, sides: { type: "string" }, help: { type: "boolean", short: "h" } },
  allowPositionals: true,
});
if (values.help) {
  console.log(`Usage: npm run bench -- [name...] [--full | --quick] [--sides a,b]

  name...  which ones (default: all): ${all.join(", ")}
  --full   the large sizes: hours
  --quick  sizes that only show that everything works: the figures mean nothing and are not kept
  --sides  which of pintle, controller-runtime, kube-rs, kopf, client-node, pepr take part (default: all); figures are not kept

The real API server and the peers are built the first time they are needed, or by \`npm run real:build\` and \`npm run bench:build\`.`);
  process.exit(0);
}
const unknown = positionals.filter((name) => !all.includes(name));
if (unknown.length > 0) {
  console.error(`bench: there is no benchmark ${unknown.join(", ")}; there are: ${all.join(", ")}`);
  process.exit(2);
}

const options: Options = { full: values.full === true, quick: values.quick === true, sides: values.sides?.split(",") };
const began = performance.now();
let failed = false;
for (const name of positionals.length > 0 ? positionals : all) {
  console.log(`\n## ${name}\n`);
  try {
    await one(name);
  } catch (error) {
    failed = true;
    console.error(`!!! ${name} failed:`, error);
  }
}
console.log(`\nbench: ${Math.round((performance.now() - began) / 1000)} s in all`);
process.exit(failed ? 1 : 0);

async function one(name: string): Promise<void> {
  const { run } = (await import(pathToFileURL(path.join(root, name, "index.ts")).href)) as {
    run(options: Options): Promise<Outcome>;
  };
  const before = await load();
  if (before > BUSY)
    console.log(`!!! the machine is busy (${(100 * before).toFixed(0)} % is used by others): ratios may hold, times do not\n`);
  const started = performance.now();
  const outcome = await run(options);
  const seconds = Math.round((performance.now() - started) / 1000);
  for (const table of outcome.tables) console.log(`${tableText(table)}\n`);
  for (const curve of outcome.curves ?? []) console.log(growthText(curve));
  for (const [peer, why] of Object.entries(outcome.missing ?? {})) console.log(`!!! NOT COMPARED: ${peer}: ${why}`);
  const found = noise(outcome.tables);
  if (found !== undefined) console.log(noiseText(found));
  if (options.quick || options.sides !== undefined) return;
  const file = path.join(results, `${name}.json`);
  const last = existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Kept) : undefined;
  if (last?.tables !== undefined && last.full === options.full) tellDifference(last, outcome);
  const kept: Kept = { name, full: options.full, seconds, machine: machine(), load: { before, after: await load() }, ...outcome };
  mkdirSync(results, { recursive: true });
  writeFileSync(file, `${JSON.stringify(kept, null, 1)}\n`);
  writeFileSync(path.join(results, `${name}.svg`), chart(outcome));
  console.log(`${seconds} s; bench/results/${name}.json and .svg`);
}

function tellDifference(last: Kept, outcome: Outcome): void {
  const { within, outside, byChance, drifts } = compared(last.tables, outcome.tables);
  if (drifts.length > 0) console.log(`the machine beside the run before, by what the peers took: ${drifts.join("; ")}`);
  console.log(
    `beside the run before: ${within} figures within noise (the repeats' ranges touch), ${outside.length} outside (by chance: up to ${Math.ceil(byChance)})`,
  );
  for (const each of outside) console.log(`  ${each}`);
}
