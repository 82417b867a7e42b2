import { readFileSync } from "node:fs";
import path from "node:path";

/** What a run of vitest came to. */
export interface TestReport {
  readonly passed: number;
  /** Full names. */
  readonly failed: readonly string[];
  /** Files with a failure, from the project's root; also those that did not load. */
  readonly files: readonly string[];
}

interface Written {
  readonly numPassedTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}

/** Reads the JSON report of vitest. */
export function readReport(file: string): TestReport {
  const { numPassedTests, testResults } = JSON.parse(readFileSync(file, "utf8")) as Written;
  const bad = testResults.filter(({ status }) => status === "failed");
  return {
    passed: numPassedTests,
    failed: bad.flatMap(({ assertionResults }) =>
      assertionResults.filter(({ status }) => status === "failed").map(({ fullName }) => fullName),
    ),
    files: bad.map(({ name }) => path.relative(process.cwd(), name)),
  };
}
