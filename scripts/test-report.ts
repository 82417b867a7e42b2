import { readFileSync } from "node:fs";
import path from "node:path";

/** The result of a vitest run. */
export interface TestReport {
  readonly passed: number;
  /** Full names of the failed tests. */
  readonly failed: readonly string[];
  /** Files with a failed test and files that did not load, relative to the repository. */
  readonly files: readonly string[];
}

interface VitestReport {
  readonly numPassedTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}

/** Reads the JSON report of vitest. */
export function readReport(file: string): TestReport {
  const { numPassedTests, testResults } = JSON.parse(readFileSync(file, "utf8")) as VitestReport;
  const failedFiles = testResults.filter(({ status }) => status === "failed");
  return {
    passed: numPassedTests,
    failed: failedFiles.flatMap(({ assertionResults }) =>
      assertionResults.filter(({ status }) => status === "failed").map(({ fullName }) => fullName),
    ),
    files: failedFiles.map(({ name }) => path.relative(process.cwd(), name)),
  };
}
