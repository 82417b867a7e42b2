/**
 * `npm run bench:report`: writes the tables and charts of docs/performance.md from the last run of every benchmark. Refuses results of a busy
 * machine. The text around the figures is written by hand.
 */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { BUSY_THRESHOLD } from "./harness/process/machine.ts";
import { formatGrowth } from "./harness/results/growth-curve.ts";
import { computeNoise, formatNoise } from "./harness/results/noise.ts";
import type { StoredResult } from "./harness/results/stored-result.ts";
import { formatTable } from "./harness/results/table.ts";

const results = fileURLToPath(new URL("results/", import.meta.url));
const docs = fileURLToPath(new URL("../docs/", import.meta.url));
const MARKERS = ["<!-- figures: npm run bench:report -->", "<!-- end of figures -->"] as const;

const files = existsSync(results) ? readdirSync(results).filter((file) => file.endsWith(".json")) : [];
const stored = files
  .map((file) => JSON.parse(readFileSync(path.join(results, file), "utf8")) as Partial<StoredResult>)
  .filter(isStoredResult);
if (stored.length === 0) {
  console.error("bench: no results found. Run: npm run bench");
  process.exit(1);
}
const takenWhileBusy = stored.filter(({ load }) => load.before > BUSY_THRESHOLD);
if (takenWhileBusy.length > 0) {
  console.error(
    `bench: these results are from a busy machine; run the benchmarks again when it is idle: ${takenWhileBusy.map(({ name }) => name).join(", ")}`,
  );
  process.exit(1);
}

const page = path.join(docs, "performance.md");
const [before, rest] = readFileSync(page, "utf8").split(MARKERS[0]);
const after = rest?.split(MARKERS[1])[1];
if (before === undefined || after === undefined) throw new Error(`docs/performance.md lacks the markers ${MARKERS.join(" and ")}`);
const charts = path.join(docs, "performance");
mkdirSync(charts, { recursive: true });
for (const { name } of stored) {
  for (const extension of ["json", "svg"]) cpSync(path.join(results, `${name}.${extension}`), path.join(charts, `${name}.${extension}`));
}
const profiles = path.join(results, "profiles");
if (existsSync(profiles)) cpSync(profiles, path.join(charts, "profiles"), { recursive: true });
writeFileSync(page, `${before}${MARKERS[0]}\n\n${stored.map(renderSection).join("\n\n")}\n\n${MARKERS[1]}${after}`);
console.log(`docs/performance.md: wrote ${stored.map(({ name }) => name).join(", ")}`);

function renderSection({ name, full, seconds, machine, load, tables, curves = [], missing = {} }: StoredResult): string {
  const noise = computeNoise(tables);
  return [
    `### ${name}`,
    `![${name}](performance/${name}.svg)`,
    ...tables.map((table) => `#${formatTable(table)}`),
    ...(curves.length === 0 ? [] : [curves.map((curve) => `- ${formatGrowth(curve)}`).join("\n")]),
    ...Object.entries(missing).map(([peer, reason]) => `Not compared: ${peer}: ${reason.split("\n")[0]}`),
    [
      `\`npm run bench ${name}${full ? " -- --full" : ""}\`, ${seconds} s on ${machine.cores} cores (${machine.cpu}), ${machine.memoryGb} GB, Node ${machine.node};`,
      `load by other processes before the run: ${(100 * load.before).toFixed(0)} %${noise === undefined ? "." : `; ${formatNoise(noise)}.`}`,
    ].join(" "),
  ].join("\n\n");
}

function isStoredResult(result: Partial<StoredResult>): result is StoredResult {
  return result.tables !== undefined && result.load !== undefined;
}
