import path from "node:path";
import { SUITE_TARGETS, type SuiteTarget } from "./targets.ts";

/** The part of vitest's JSON report that is counted. */
export interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly assertionResults: readonly { readonly status: string; readonly title: string; readonly fullName: string }[];
  }[];
}

export interface ResultCounts {
  readonly passed: number;
  /** Passed, but differs from a real server in exactly what docs/fidelity.md documents. */
  readonly documented: number;
  readonly failed: number;
}

/** Counts results by target; a file that did not load is one failure. */
export function countResults(
  report: Report,
  {
    root,
    targets,
    documented,
  }: { readonly root: string; readonly targets: ReadonlyMap<string, SuiteTarget>; readonly documented: ReadonlySet<string> },
): ReadonlyMap<SuiteTarget, ResultCounts> {
  const counts = new Map<SuiteTarget, ResultCounts>();
  for (const { name, status, assertionResults } of report.testResults) {
    const target = targets.get(path.relative(root, name)) ?? "neither";
    const { passed, documented: differing, failed } = counts.get(target) ?? { passed: 0, documented: 0, failed: 0 };
    const good = assertionResults.filter((each) => each.status === "passed");
    const allowed = good.filter(({ title }) => documented.has(title)).length;
    const bad = assertionResults.filter((each) => each.status === "failed").length;
    counts.set(target, {
      passed: passed + good.length - allowed,
      documented: differing + allowed,
      failed: failed + (bad === 0 && status === "failed" ? 1 : bad),
    });
  }
  return counts;
}

const NAMES: Readonly<Record<SuiteTarget, string>> = {
  embedded: "embedded cluster",
  real: "real API server",
  pair: "both, compared",
  neither: "other programs",
};

export function formatSummary(counts: ReadonlyMap<SuiteTarget, ResultCounts>): string {
  const rows = SUITE_TARGETS.filter((target) => counts.has(target)).map((target) => [NAMES[target], counts.get(target)!] as const);
  const sum = (of: keyof ResultCounts) => rows.reduce((total, [, each]) => total + each[of], 0);
  const line = (name: string, passed: number | string, documented: number | string, failed: number | string) =>
    `${name.padEnd(18)}${String(passed).padStart(8)}${String(documented).padStart(24)}${String(failed).padStart(8)}`;
  return [
    line("", "passed", "differing as documented", "failing"),
    ...rows.map(([name, { passed, documented, failed }]) => line(name, passed, documented, failed)),
    line("all", sum("passed"), sum("documented"), sum("failed")),
  ].join("\n");
}
