/**
 * What `.ci/run` does after installing: every gate in turn, then one closing line for the whole run.
 * A step counts its own tests when it writes a vitest report, and counts as one otherwise.
 * Tests that talk to other people's processes can fail by bad luck, so files that failed are tried twice more, alone; what passes only
 * then is named at the end as unsteady, which is a defect to look into, not a pass to forget.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { readReport, type TestReport } from "./test-report.ts";

interface Step {
  readonly name: string;
  readonly command: readonly string[];
  /** The step can be told which test files to run. */
  readonly takesFiles?: boolean;
}

const STEPS: readonly Step[] = [
  { name: "check", command: ["npm", "run", "check"] },
  { name: "test", command: ["npm", "test"], takesFiles: true },
  { name: "start", command: ["npm", "start"] },
  { name: "real:build", command: ["npm", "run", "real:build"] },
  { name: "clients:build", command: ["npm", "run", "clients:build"] },
  { name: "helm:build", command: ["npm", "run", "helm:build"] },
  { name: "conformance", command: ["npm", "run", "conformance"], takesFiles: true },
];
/** More than these and it is not luck. */
const FILES_TO_RETRY = 3;
const TRIES = 3;

const folder = mkdtempSync(path.join(tmpdir(), "pintle-ci-"));
const unsteady: string[] = [];
let passed = 0;
let failed = 0;
for (const step of STEPS) {
  const started = Date.now();
  console.log(`\n=== ${step.name}`);
  const first = play(step.command, "first");
  let { ok } = first;
  const { report } = first;
  let bad = report.failed.length;
  const isWorthRetrying = step.takesFiles === true && report.files.length > 0 && report.files.length <= FILES_TO_RETRY;
  for (let turn = 2; !ok && isWorthRetrying && turn <= TRIES; turn++) {
    console.log(`\n=== ${step.name}: try ${turn} of ${TRIES}, alone: ${report.files.join(", ")}`);
    const again = play([...step.command, "--", ...report.files], `turn-${turn}`);
    // A file that does not even load has no test that could have passed.
    if (again.ok && report.failed.length > 0) {
      ok = true;
      unsteady.push(...report.failed);
    }
    bad = again.ok ? 0 : Math.max(new Set(again.report.failed).size, 1);
  }
  passed += Math.max(report.passed + (report.failed.length - Math.min(bad, report.failed.length)), ok ? 1 : 0);
  failed += ok ? 0 : Math.max(bad, 1);
  console.log(`=== ${step.name}: ${ok ? "ok" : "FAILED"} in ${Math.round((Date.now() - started) / 1000)} s`);
}
rmSync(folder, { recursive: true });
for (const name of unsteady) console.log(`!!! unsteady, did not pass the first time: ${name}`);
console.log(`\n${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;

function play(command: readonly string[], turn: string): { readonly ok: boolean; readonly report: TestReport } {
  const file = path.join(folder, `${turn}.json`);
  rmSync(file, { force: true });
  const [program = "", ...args] = command;
  const ended = spawnSync(program, args, { stdio: "inherit", env: { ...process.env, PINTLE_TEST_REPORT: file } });
  return { ok: ended.status === 0, report: existsSync(file) ? readReport(file) : { passed: 0, failed: [], files: [] } };
}
