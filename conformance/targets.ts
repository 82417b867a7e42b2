import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";

/** The servers that a suite runs on: the embedded cluster, a real API server, both in one run, or neither (other programs). */
export type SuiteTarget = "embedded" | "real" | "pair" | "neither";
export const SUITE_TARGETS = ["embedded", "real", "pair", "neither"] as const satisfies readonly SuiteTarget[];

const IMPORT = /(?:from|import|URL)\s*\(?"(\.{1,2}\/[^"]+\.ts)"/g;
const EMBEDDED = /\bstartCluster\(|from "@pintle\/cluster(\/|")/;
const REAL = /\bstart(ControlPlane|Joined)\(/;

/** Returns every test file below `root` with its target, derived from the calls and imports in its sources. */
export function findSuites(root: string): ReadonlyMap<string, SuiteTarget> {
  const files = testFiles(root);
  return new Map(files.map((file) => [file, targetOf(path.join(root, file), root)]));
}

function testFiles(root: string): readonly string[] {
  return readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".test.ts") && !file.includes("node_modules"))
    .sort();
}

function targetOf(file: string, root: string): SuiteTarget {
  const seen = new Set<string>();
  let [embedded, real] = [false, false];
  const visit = (each: string) => {
    if (seen.has(each) || !existsSync(each)) return;
    seen.add(each);
    const text = readFileSync(each, "utf8");
    embedded ||= EMBEDDED.test(text);
    // The module that defines the call does not count as a caller.
    real ||= REAL.test(text) && !each.startsWith(path.join(root, "real") + path.sep);
    for (const [, to = ""] of text.matchAll(IMPORT)) visit(path.resolve(path.dirname(each), to));
  };
  visit(file);
  // Every suite below real/ starts a real control plane.
  real ||= file.startsWith(path.join(root, "real") + path.sep);
  if (embedded && real) return "pair";
  if (real) return "real";
  return embedded ? "embedded" : "neither";
}
