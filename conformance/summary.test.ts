import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { countResults, formatSummary } from "./summary.ts";
import { findSuites } from "./targets.ts";

test("derives the target of a suite from the calls in it and its imports", () => {
  const root = mkdtempSync(path.join(tmpdir(), "pintle-targets-"));
  try {
    const files = {
      "servers.ts": 'import { startControlPlane } from "./real/index.ts";\nawait startControlPlane({});',
      "both.test.ts": 'import "./servers.ts";\nimport { startCluster } from "@pintle/cluster";',
      "real.test.ts": 'const run = new URL("./servers.ts", import.meta.url);',
      "embedded.test.ts": 'import { startCluster } from "@pintle/cluster";',
      "plain.test.ts": 'import { binary } from "./real/index.ts";',
    };
    for (const [name, text] of Object.entries(files)) writeFileSync(path.join(root, name), text);
    expect(Object.fromEntries(findSuites(root))).toEqual({
      "both.test.ts": "pair",
      "real.test.ts": "real",
      "embedded.test.ts": "embedded",
      "plain.test.ts": "neither",
    });
  } finally {
    rmSync(root, { recursive: true });
  }
  expect(findSuites(import.meta.dirname).get("api/api.test.ts")).toBe("pair");
});

test("counts passed, documented and failed tests", () => {
  const root = "/suites";
  const one = (status: string, title: string) => ({ status, title, fullName: `a chapter ${title}` });
  const report = {
    testResults: [
      {
        name: path.join(root, "a.test.ts"),
        status: "failed",
        assertionResults: [one("passed", "x"), one("passed", "known"), one("failed", "y")],
      },
      { name: path.join(root, "b.test.ts"), status: "passed", assertionResults: [one("passed", "x"), one("pending", "z")] },
      { name: path.join(root, "c.test.ts"), status: "failed", assertionResults: [] },
    ],
  };
  const targets = new Map([
    ["a.test.ts", "pair"],
    ["b.test.ts", "real"],
    ["c.test.ts", "real"],
  ] as const);
  const counts = countResults(report, { root, targets, documented: new Set(["known"]) });
  expect(counts.get("pair")).toEqual({ passed: 1, documented: 1, failed: 1 });
  expect(counts.get("real")).toEqual({ passed: 1, documented: 0, failed: 1 });
  expect(formatSummary(counts).split("\n").at(-1)).toMatch(/^all +2 +1 +2$/);
});
