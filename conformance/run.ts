/**
 * `npm run conformance`: runs every suite that compares Pintle with a real API server, or needs another external program, and prints how many
 * tests passed, differed as documented, and failed. A seeded sample by default; `--full` runs everything. Positional arguments select suites:
 * `npm run conformance -- apply`.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { readDifferences } from "./api/differences.ts";
import { OLDER_KUBERNETES_SUITES } from "./compatibility/older-kubernetes.ts";
import {
  binaries,
  buildCommand,
  COMPATIBILITY_PROGRAMS,
  isOlderKubernetes,
  KUBERNETES_VARIABLE,
  selectedKubernetes,
  versions,
} from "./real/index.ts";
import { countResults, formatSummary, type Report } from "./summary.ts";
import { findSuites, SUITE_TARGETS, type SuiteTarget } from "./targets.ts";

const { values, positionals } = parseArguments();
if (values.help) {
  console.log(`Usage: npm run conformance -- [suite...] [--on embedded|real|pair] [--kubernetes V] [--full] [--seed N]

  suite...        only suites whose path contains one of these words
  --on            only suites that run on the embedded cluster, on a real API server, or on both and compare them
  --kubernetes V  an older real API server (${versions.olderKubernetes.join(", ")}; a minor is enough): only the suites that an operator
                  needs, all of them with the word "compatibility"
  --full          everything, instead of a seeded sample
  --seed N        which sample (default: another one for every commit)

Needs the programs that \`npm run real:build\` makes; without them it fails with an error.`);
  process.exit(0);
}
if (values.on !== undefined && !SUITE_TARGETS.includes(values.on as SuiteTarget)) {
  console.error(`conformance: --on ${values.on}: must be one of ${SUITE_TARGETS.join(", ")}`);
  process.exit(2);
}

if (values.kubernetes !== undefined) process.env[KUBERNETES_VARIABLE] = values.kubernetes;
const isOlder = isOlderKubernetes(versions.kubernetes);
const missing = binaries().missing.filter((program) => !isOlder || COMPATIBILITY_PROGRAMS.includes(program));
if (missing.length > 0) {
  console.error(`\n!!! conformance: NOTHING WAS COMPARED: ${missing.join(", ")} missing. Build them with: ${buildCommand()}\n`);
  process.exit(1);
}

const root = path.dirname(fileURLToPath(import.meta.url));
const targets = findSuites(root);
const isNamed = (file: string) =>
  positionals.length === 0 ||
  positionals.some((word) => path.join("conformance", file).includes(word) || (isOlder && word === "compatibility"));
const wanted = [...targets.keys()].filter(
  (file) =>
    (values.on === undefined || targets.get(file) === values.on) && (!isOlder || OLDER_KUBERNETES_SUITES.includes(file)) && isNamed(file),
);
if (wanted.length === 0) {
  console.error(`conformance: no suite ${positionals.join(", ")}${values.on === undefined ? "" : ` on ${values.on}`}`);
  process.exit(2);
}
const seed = values.seed ?? seedOfCommit() ?? String(Math.floor(Date.now() / 86_400_000));
console.log(
  `conformance: Kubernetes ${selectedKubernetes()}, ${values.full ? "everything" : `a sample, seed ${seed} (--full for everything)`}`,
);
const folder = mkdtempSync(path.join(tmpdir(), "pintle-conformance-"));
// CI sets the path to read the report.
const report = process.env["PINTLE_TEST_REPORT"] ?? path.join(folder, "report.json");
const env = { ...process.env, PINTLE_CONFORMANCE: values.full ? "full" : "sample", PINTLE_SEED: seed, PINTLE_TEST_REPORT: report };
const which = values.on === undefined && !isOlder ? positionals : wanted.map((file) => path.join(root, file));
const ended = spawnSync(
  process.execPath,
  [path.join(root, "../node_modules/vitest/vitest.mjs"), "run", "--config", path.join(root, "vitest.config.ts"), ...which],
  { stdio: "inherit", env },
);
if (existsSync(report)) {
  const documented = new Set(readDifferences().map(({ title }) => title));
  const counts = countResults(JSON.parse(readFileSync(report, "utf8")) as Report, { root, targets, documented });
  console.log(`\n${formatSummary(counts)}\n\nWhat may differ, and why: docs/fidelity.md`);
}
rmSync(folder, { recursive: true, force: true });
process.exitCode = ended.status ?? 1;

/** Derives the seed from the commit, so that two runs of it use the same sample; undefined outside a git checkout. */
function seedOfCommit(): string | undefined {
  const { stdout, status } = spawnSync("git", ["rev-parse", "--short=7", "HEAD"], { cwd: root, encoding: "utf8" });
  return status === 0 ? String(Number.parseInt(stdout.trim().slice(0, 7), 16)) : undefined;
}

function parseArguments() {
  try {
    return parseArgs({
      options: {
        full: { type: "boolean" },
        seed: { type: "string" },
        on: { type: "string" },
        kubernetes: { type: "string" },
        help: { type: "boolean", short: "h" },
      },
      allowPositionals: true,
    });
  } catch (error) {
    console.error(`${(error as Error).message}\nRun npm run conformance -- --help`);
    process.exit(2);
  }
}
