/**
 * The steps of `.ci/run` after the installation, and a summary line. A step with a vitest report counts its tests, any other step counts as
 * one. Tests with external processes can be flaky, so test files that failed are run up to two more times on their own. Tests that pass only
 * then are listed as flaky at the end; that is a defect to fix.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { readReport, type TestReport } from "./test-report.ts";

interface CiStep {
  readonly name: string;
  readonly command: readonly string[];
  /** Whether test files can be passed as arguments. */
  readonly takesFiles?: boolean;
}

const STEPS: readonly CiStep[] = [
  { name: "check", command: ["npm", "run", "check"] },
  { name: "test", command: ["npm", "test"], takesFiles: true },
  { name: "start", command: ["npm", "start"] },
  { name: "real:build", command: ["npm", "run", "real:build"] },
  { name: "clients:build", command: ["npm", "run", "clients:build"] },
  { name: "helm:build", command: ["npm", "run", "helm:build"] },
  { name: "lifecycle:build", command: ["npm", "run", "lifecycle:build"] },
  { name: "conformance", command: ["npm", "run", "conformance"], takesFiles: true },
];
/** With more failed files the step is not retried. */
const MAX_RETRIED_FILES = 3;
const MAX_ATTEMPTS = 3;

const folder = mkdtempSync(path.join(tmpdir(), "pintle-ci-"));
const flaky: string[] = [];
let passed = 0;
let failed = 0;
for (const step of STEPS) {
  const started = Date.now();
  console.log(`\n=== ${step.name}`);
  const firstRun = runCommand(step.command, "first");
  let { ok } = firstRun;
  const { report } = firstRun;
  let failures = report.failed.length;
  const canRetry = step.takesFiles === true && report.files.length > 0 && report.files.length <= MAX_RETRIED_FILES;
  for (let attempt = 2; !ok && canRetry && attempt <= MAX_ATTEMPTS; attempt++) {
    console.log(`\n=== ${step.name}: attempt ${attempt} of ${MAX_ATTEMPTS}, only ${report.files.join(", ")}`);
    const retry = runCommand([...step.command, "--", ...report.files], `attempt-${attempt}`);
    // A file that does not load has no tests, so its retry cannot show that it passes.
    if (retry.ok && report.failed.length > 0) {
      ok = true;
      flaky.push(...report.failed);
    }
    failures = retry.ok ? 0 : Math.max(new Set(retry.report.failed).size, 1);
  }
  passed += Math.max(report.passed + (report.failed.length - Math.min(failures, report.failed.length)), ok ? 1 : 0);
  failed += ok ? 0 : Math.max(failures, 1);
  console.log(`=== ${step.name}: ${ok ? "ok" : "FAILED"} in ${Math.round((Date.now() - started) / 1000)} s`);
}
rmSync(folder, { recursive: true });
for (const name of flaky) console.log(`!!! flaky test, failed at first: ${name}`);
console.log(`\n${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;

function runCommand(command: readonly string[], turn: string): { readonly ok: boolean; readonly report: TestReport } {
  const file = path.join(folder, `${turn}.json`);
  rmSync(file, { force: true });
  const [program = "", ...args] = command;
  const finished = spawnSync(program, args, { stdio: "inherit", env: { ...process.env, PINTLE_TEST_REPORT: file } });
  return { ok: finished.status === 0, report: existsSync(file) ? readReport(file) : { passed: 0, failed: [], files: [] } };
}
