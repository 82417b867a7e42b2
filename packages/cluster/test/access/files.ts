import { readFile, writeFile } from "node:fs/promises";
import type { Answers } from "./script.ts";

const file = (suite: string) => new URL(`./answers/${suite}.json`, import.meta.url);

/** What a real server answered. */
export async function goldenOf(suite: string): Promise<Answers> {
  return JSON.parse(await readFile(file(suite), "utf8")) as Answers;
}

/** One line per answer, so that a change of the server's mind shows as a changed line. */
export async function writeGolden(suite: string, answers: Answers): Promise<void> {
  const lines = Object.entries(answers).map(([step, answer]) => `${JSON.stringify(step)}: ${JSON.stringify(answer)}`);
  await writeFile(file(suite), `{\n${lines.join(",\n")}\n}\n`);
}
