import { readdir, readFile, writeFile } from "node:fs/promises";
import { parse } from "yaml";
import type { BuiltinCase, CaseResponses } from "./run-case.ts";

const casesFolder = new URL("./cases/", import.meta.url);
const goldenFolder = new URL("./golden/", import.meta.url);

/** Recorded responses of a real kube-apiserver. */
export interface GoldenSuite {
  /** Time of the recording, in milliseconds since the epoch. */
  readonly at: number;
  readonly responses: Readonly<Record<string, CaseResponses>>;
}

/** Returns the names of the suites, one per file of cases. */
export async function listSuites(): Promise<readonly string[]> {
  return (await readdir(casesFolder))
    .filter((name) => name.endsWith(".yaml"))
    .map((name) => name.replace(".yaml", ""))
    .sort();
}

export async function readCases(suite: string): Promise<readonly BuiltinCase[]> {
  return parse(await readFile(new URL(`${suite}.yaml`, casesFolder), "utf8"), { merge: true }) as readonly BuiltinCase[];
}

export async function readGolden(suite: string): Promise<GoldenSuite> {
  return JSON.parse(await readFile(new URL(`${suite}.json`, goldenFolder), "utf8")) as GoldenSuite;
}

/** Writes one line per response, so that changes show up as changed lines. */
export async function writeGolden(suite: string, { at, responses: all }: GoldenSuite): Promise<void> {
  const lines = Object.entries(all).map(
    ([name, each]) => `${JSON.stringify(name)}: [\n${each.map((one) => `  ${JSON.stringify(one)}`).join(",\n")}\n ]`,
  );
  await writeFile(new URL(`${suite}.json`, goldenFolder), `{"at": ${at}, "responses": {\n ${lines.join(",\n ")}\n}}\n`);
}
