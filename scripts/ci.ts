/**
 * What `.ci/run` does after installing: every gate in turn, then one closing line for the whole run.
 * A step counts its own tests when it writes a vitest report, and counts as one otherwise.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

const STEPS: readonly (readonly [name: string, ...command: string[]])[] = [
  ["check", "npm", "run", "check"],
  ["test", "npm", "test"],
  ["start", "npm", "start"],
  ["real:build", "npm", "run", "real:build"],
  ["clients:build", "npm", "run", "clients:build"],
  ["conformance", "npm", "run", "conformance"],
];

const folder = mkdtempSync(path.join(tmpdir(), "pintle-ci-"));
let passed = 0;
let failed = 0;
for (const [name, command, ...args] of STEPS) {
  const report = path.join(folder, `${name.replace(":", "-")}.json`);
  const started = Date.now();
  console.log(`\n=== ${name}`);
  const ended = spawnSync(command as string, args, { stdio: "inherit", env: { ...process.env, PINTLE_TEST_REPORT: report } });
  const ok = ended.status === 0;
  const counts = existsSync(report) ? readReport(report) : { passed: 0, failed: 0 };
  passed += counts.passed + (ok && counts.passed === 0 ? 1 : 0);
  failed += counts.failed + (!ok && counts.failed === 0 ? 1 : 0);
  console.log(`=== ${name}: ${ok ? "ok" : "FAILED"} in ${Math.round((Date.now() - started) / 1000)} s`);
}
rmSync(folder, { recursive: true });
console.log(`\n${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;

function readReport(file: string): { passed: number; failed: number } {
  const report = JSON.parse(readFileSync(file, "utf8")) as { numPassedTests: number; numFailedTests: number };
  return { passed: report.numPassedTests, failed: report.numFailedTests };
}
