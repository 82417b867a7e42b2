import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";

/** What a suite runs on: the embedded cluster, a real API server, both of them in one run, or programs that are neither. */
export type Ground = "embedded" | "real" | "pair" | "neither";
export const GROUNDS = ["embedded", "real", "pair", "neither"] as const satisfies readonly Ground[];

const IMPORT = /(?:from|import|URL)\s*\(?"(\.{1,2}\/[^"]+\.ts)"/g;
const EMBEDDED = /\bstartCluster\(|from "@pintle\/cluster(\/|")/;
const REAL = /\bstart(ControlPlane|Joined)\(/;

/** Every test file below `root`, and what it runs on, as its sources and what they import say. */
export function suites(root: string): ReadonlyMap<string, Ground> {
  const files = testFiles(root);
  return new Map(files.map((file) => [file, groundOf(path.join(root, file), root)]));
}

function testFiles(root: string): readonly string[] {
  return readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".test.ts") && !file.includes("node_modules"))
    .sort();
}

function groundOf(file: string, root: string): Ground {
  const seen = new Set<string>();
  let [embedded, real] = [false, false];
  const visit = (each: string) => {
    if (seen.has(each) || !existsSync(each)) return;
    seen.add(each);
    const text = readFileSync(each, "utf8");
    embedded ||= EMBEDDED.test(text);
    // The door itself is no use of it.
    real ||= REAL.test(text) && !each.startsWith(path.join(root, "real") + path.sep);
    for (const [, to = ""] of text.matchAll(IMPORT)) visit(path.resolve(path.dirname(each), to));
  };
  visit(file);
  // The suite of the real control plane is about nothing else.
  real ||= file.startsWith(path.join(root, "real") + path.sep);
  if (embedded && real) return "pair";
  if (real) return "real";
  return embedded ? "embedded" : "neither";
}
