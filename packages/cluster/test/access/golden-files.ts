import { readFile, writeFile } from "node:fs/promises";
import type { ScenarioResponses } from "./scenario.ts";

const file = (suite: string) => new URL(`./answers/${suite}.json`, import.meta.url);

/** Reads the responses of a real server. */
export async function readGolden(suite: string): Promise<ScenarioResponses> {
  return JSON.parse(await readFile(file(suite), "utf8")) as ScenarioResponses;
}

/** Writes one line per response, so that a change shows up as a changed line. */
export async function writeGolden(suite: string, answers: ScenarioResponses): Promise<void> {
  const lines = Object.entries(answers).map(([step, answer]) => `${JSON.stringify(step)}: ${JSON.stringify(answer)}`);
  await writeFile(file(suite), `{\n${lines.join(",\n")}\n}\n`);
}
