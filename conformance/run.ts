/**
 * `npm run conformance`: every suite that compares us with a real API server, or needs another outside part, and at the end how many
 * passed, differed as documented, and failed. A seeded sample by default; `--full` runs everything. Words that are left name suites:
 * `npm run conformance -- apply`.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { differences } from "./api/differences.ts";
import { GROUNDS, type Ground, suites } from "./grounds.ts";
import { binaries } from "./real/index.ts";
import { counted, type Report, summaryText } from "./summary.ts";

const { values, positionals } = parseArgs({
  options: { full: { type: "boolean" }, seed: { type: "string" }, on: { type: "string" }, help: { type: "boolean", short: "h" } },
  allowPositionals: true,
});
if (values.help) {
  console.log(`Usage: npm run conformance -- [suite...] [--on embedded|real|pair] [--full] [--seed N]

  suite...  only suites whose path contains one of these words
  --on      only suites that run on the embedded cluster, on a real API server, or on both and compare them
  --full    everything, instead of a seeded sample
  --seed N  which sample (default: another one for every commit)

Needs the programs that \`npm run real:build\` makes; without them it says so and fails.`);
  process.exit(0);
}
if (values.on !== undefined && !GROUNDS.includes(values.on as Ground)) {
  console.error(`conformance: --on ${values.on}: there are ${GROUNDS.join(", ")}`);
  process.exit(2);
}

const { missing } = binaries();
if (missing.length > 0) {
  console.error(`\n!!! conformance: NOTHING WAS COMPARED: ${missing.join(", ")} missing. Build them with: npm run real:build\n`);
  process.exit(1);
}

const root = path.dirname(fileURLToPath(import.meta.url));
const grounds = suites(root);
const wanted = [...grounds.keys()].filter(
  (file) =>
    (values.on === undefined || grounds.get(file) === values.on) &&
    (positionals.length === 0 || positionals.some((word) => path.join("conformance", file).includes(word))),
);
if (wanted.length === 0) {
  console.error(`conformance: no suite ${positionals.join(", ")}${values.on === undefined ? "" : ` on ${values.on}`}`);
  process.exit(2);
}
const seed = values.seed ?? seedOfCommit() ?? String(Math.floor(Date.now() / 86_400_000));
console.log(`conformance: ${values.full ? "everything" : `a sample, seed ${seed} (--full for everything)`}`);
const folder = mkdtempSync(path.join(tmpdir(), "pintle-conformance-"));
// CI reads it too, where it asked for it.
const report = process.env["PINTLE_TEST_REPORT"] ?? path.join(folder, "report.json");
const env = { ...process.env, PINTLE_CONFORMANCE: values.full ? "full" : "sample", PINTLE_SEED: seed, PINTLE_TEST_REPORT: report };
const which = values.on === undefined ? positionals : wanted.map((file) => path.join(root, file));
const ended = spawnSync(
  process.execPath,
  [path.join(root, "../node_modules/vitest/vitest.mjs"), "run", "--config", path.join(root, "vitest.config.ts"), ...which],
  { stdio: "inherit", env },
);
if (existsSync(report)) {
  const documented = new Set(differences().map(({ title }) => title));
  const counts = counted(JSON.parse(readFileSync(report, "utf8")) as Report, { root, grounds, documented });
  console.log(`\n${summaryText(counts)}\n\nWhat may differ, and why: docs/fidelity.md`);
}
rmSync(folder, { recursive: true, force: true });
process.exitCode = ended.status ?? 1;

/** Two runs of one commit play the same sample, so a failure can be looked at; outside a checkout there is no commit. */
function seedOfCommit(): string | undefined {
  const { stdout, status } = spawnSync("git", ["rev-parse", "--short=7", "HEAD"], { cwd: root, encoding: "utf8" });
  return status === 0 ? String(Number.parseInt(stdout.trim().slice(0, 7), 16)) : undefined;
}
