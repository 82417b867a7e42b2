/**
 * `npm run conformance`: every suite that compares us with a real API server, or needs another outside part.
 * A seeded sample by default; `--full` runs everything. Words that are left name suites: `npm run conformance -- apply`.
 */
import { spawnSync } from "node:child_process";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { binaries } from "./real/index.ts";

const { values, positionals } = parseArgs({
  options: { full: { type: "boolean" }, seed: { type: "string" }, help: { type: "boolean", short: "h" } },
  allowPositionals: true,
});
if (values.help) {
  console.log(`Usage: npm run conformance -- [suite...] [--full] [--seed N]

  suite...  only suites whose path contains one of these words
  --full    everything, instead of a seeded sample
  --seed N  which sample (default: another one for every commit)

Needs the programs that \`npm run real:build\` makes; without them it says so and fails.`);
  process.exit(0);
}

const { missing } = binaries();
if (missing.length > 0) {
  console.error(`\n!!! conformance: NOTHING WAS COMPARED: ${missing.join(", ")} missing. Build them with: npm run real:build\n`);
  process.exit(1);
}

const root = path.dirname(fileURLToPath(import.meta.url));
const seed = values.seed ?? seedOfCommit() ?? String(Math.floor(Date.now() / 86_400_000));
console.log(`conformance: ${values.full ? "everything" : `a sample, seed ${seed} (--full for everything)`}`);
const ended = spawnSync(
  process.execPath,
  [path.join(root, "../node_modules/vitest/vitest.mjs"), "run", "--config", path.join(root, "vitest.config.ts"), ...positionals],
  { stdio: "inherit", env: { ...process.env, PINTLE_CONFORMANCE: values.full ? "full" : "sample", PINTLE_SEED: seed } },
);
process.exitCode = ended.status ?? 1;

/** Two runs of one commit play the same sample, so a failure can be looked at; outside a checkout there is no commit. */
function seedOfCommit(): string | undefined {
  const { stdout, status } = spawnSync("git", ["rev-parse", "--short=7", "HEAD"], { cwd: root, encoding: "utf8" });
  return status === 0 ? String(Number.parseInt(stdout.trim().slice(0, 7), 16)) : undefined;
}
