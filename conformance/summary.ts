import path from "node:path";
import { GROUNDS, type Ground } from "./grounds.ts";

/** The part of vitest's JSON report that is summed up. */
export interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly assertionResults: readonly { readonly status: string; readonly title: string; readonly fullName: string }[];
  }[];
}

export interface Counts {
  readonly passed: number;
  /** Passed, and differs from a real server in what docs/fidelity.md names, with its reason, and in nothing else. */
  readonly documented: number;
  readonly failed: number;
}

/** Counts by what suites run on; a file that did not load is one failure. */
export function counted(
  report: Report,
  {
    root,
    grounds,
    documented,
  }: { readonly root: string; readonly grounds: ReadonlyMap<string, Ground>; readonly documented: ReadonlySet<string> },
): ReadonlyMap<Ground, Counts> {
  const counts = new Map<Ground, Counts>();
  for (const { name, status, assertionResults } of report.testResults) {
    const ground = grounds.get(path.relative(root, name)) ?? "neither";
    const { passed, documented: differing, failed } = counts.get(ground) ?? { passed: 0, documented: 0, failed: 0 };
    const good = assertionResults.filter((each) => each.status === "passed");
    const allowed = good.filter(({ title }) => documented.has(title)).length;
    const bad = assertionResults.filter((each) => each.status === "failed").length;
    counts.set(ground, {
      passed: passed + good.length - allowed,
      documented: differing + allowed,
      failed: failed + (bad === 0 && status === "failed" ? 1 : bad),
    });
  }
  return counts;
}

const NAMES: Readonly<Record<Ground, string>> = {
  embedded: "embedded cluster",
  real: "real API server",
  pair: "both, compared",
  neither: "other programs",
};

export function summaryText(counts: ReadonlyMap<Ground, Counts>): string {
  const rows = GROUNDS.filter((ground) => counts.has(ground)).map((ground) => [NAMES[ground], counts.get(ground)!] as const);
  const sum = (of: keyof Counts) => rows.reduce((total, [, each]) => total + each[of], 0);
  const line = (name: string, passed: number | string, documented: number | string, failed: number | string) =>
    `${name.padEnd(18)}${String(passed).padStart(8)}${String(documented).padStart(24)}${String(failed).padStart(8)}`;
  return [
    line("", "passed", "differing as documented", "failing"),
    ...rows.map(([name, { passed, documented, failed }]) => line(name, passed, documented, failed)),
    line("all", sum("passed"), sum("documented"), sum("failed")),
  ].join("\n");
}
