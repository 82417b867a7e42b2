import { readdir, readFile, writeFile } from "node:fs/promises";
import { parse } from "yaml";
import type { Answers, Case } from "./script.ts";

const cases = new URL("./cases/", import.meta.url);
const answers = new URL("./answers/", import.meta.url);

/** What a real server said, and when. */
export interface Golden {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly answers: Readonly<Record<string, Answers>>;
}

/** "apps", "core", ...: a file of cases each. */
export async function suiteNames(): Promise<readonly string[]> {
  return (await readdir(cases))
    .filter((name) => name.endsWith(".yaml"))
    .map((name) => name.replace(".yaml", ""))
    .sort();
}

export async function casesOf(suite: string): Promise<readonly Case[]> {
  return parse(await readFile(new URL(`${suite}.yaml`, cases), "utf8"), { merge: true }) as readonly Case[];
}

export async function goldenOf(suite: string): Promise<Golden> {
  return JSON.parse(await readFile(new URL(`${suite}.json`, answers), "utf8")) as Golden;
}

/** One line per answer, so that a change of the server's mind shows as a changed line. */
export async function writeGolden(suite: string, { at, answers: all }: Golden): Promise<void> {
  const lines = Object.entries(all).map(
    ([name, each]) => `${JSON.stringify(name)}: [\n${each.map((one) => `  ${JSON.stringify(one)}`).join(",\n")}\n ]`,
  );
  await writeFile(new URL(`${suite}.json`, answers), `{"at": ${at}, "answers": {\n ${lines.join(",\n ")}\n}}\n`);
}
