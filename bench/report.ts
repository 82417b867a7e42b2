/**
 * `npm run bench:report`: writes the figures of docs/performance.md, and its pictures beside it, from the last run of every benchmark.
 * Refuses figures that were taken on a busy machine. The words around them are written by hand.
 */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { growthText } from "./frame/curve.ts";
import { BUSY } from "./frame/machine.ts";
import { noise, noiseText } from "./frame/noise.ts";
import type { Kept } from "./frame/result.ts";
import { tableText } from "./frame/table.ts";

const results = fileURLToPath(new URL("results/", import.meta.url));
const docs = fileURLToPath(new URL("../docs/", import.meta.url));
const MARKS = ["<!-- figures: npm run bench:report -->", "<!-- end of figures -->"] as const;

const files = existsSync(results) ? readdirSync(results).filter((file) => file.endsWith(".json")) : [];
const all = files.map((file) => JSON.parse(readFileSync(path.join(results, file), "utf8")) as Partial<Kept>).filter(isKept);
if (all.length === 0) {
  console.error("bench: there are no figures to report: npm run bench");
  process.exit(1);
}
const busy = all.filter(({ load }) => load.before > BUSY);
if (busy.length > 0) {
  console.error(`bench: taken on a busy machine, run them again when it is quiet: ${busy.map(({ name }) => name).join(", ")}`);
  process.exit(1);
}

const page = path.join(docs, "performance.md");
const [before, rest] = readFileSync(page, "utf8").split(MARKS[0]);
const after = rest?.split(MARKS[1])[1];
if (before === undefined || after === undefined) throw new Error(`docs/performance.md has lost its marks: ${MARKS.join(" and ")}`);
const pictures = path.join(docs, "performance");
mkdirSync(pictures, { recursive: true });
for (const { name } of all) {
  for (const end of ["json", "svg"]) cpSync(path.join(results, `${name}.${end}`), path.join(pictures, `${name}.${end}`));
}
const profiles = path.join(results, "profiles");
if (existsSync(profiles)) cpSync(profiles, path.join(pictures, "profiles"), { recursive: true });
writeFileSync(page, `${before}${MARKS[0]}\n\n${all.map(section).join("\n\n")}\n\n${MARKS[1]}${after}`);
console.log(`docs/performance.md has the figures of ${all.map(({ name }) => name).join(", ")}`);

function section({ name, full, seconds, machine, load, tables, curves = [], missing = {} }: Kept): string {
  const found = noise(tables);
  return [
    `### ${name}`,
    `![${name}](performance/${name}.svg)`,
    ...tables.map((table) => `#${tableText(table)}`),
    ...(curves.length === 0 ? [] : [curves.map((curve) => `- ${growthText(curve)}`).join("\n")]),
    ...Object.entries(missing).map(([peer, why]) => `Not compared: ${peer}: ${why.split("\n")[0]}`),
    [
      `\`npm run bench ${name}${full ? " -- --full" : ""}\`, ${seconds} s on ${machine.cores} cores (${machine.cpu}), ${machine.memoryGb} GB, Node ${machine.node};`,
      `others used ${(100 * load.before).toFixed(0)} % of the cores before.${found === undefined ? "" : ` ${noiseText(found)}.`}`,
    ].join(" "),
  ].join("\n\n");
}

function isKept(found: Partial<Kept>): found is Kept {
  return found.tables !== undefined && found.load !== undefined;
}
