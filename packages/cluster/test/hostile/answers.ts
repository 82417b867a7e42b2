import { readFile } from "node:fs/promises";
import type { Answer } from "./exchange.ts";

export const answersFile = new URL("answers.json", import.meta.url);

/** What is compared of an answer. */
export function recorded({ code, reason }: Answer): Pick<Answer, "code" | "reason"> {
  return reason === undefined ? { code } : { code, reason };
}

/** How a real server answers the attacks, by name. */
export async function realAnswers(): Promise<Readonly<Record<string, Pick<Answer, "code" | "reason">>>> {
  return JSON.parse(await readFile(answersFile, "utf8"));
}
