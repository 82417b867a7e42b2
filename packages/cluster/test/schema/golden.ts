import { readFileSync } from "node:fs";
import { comparable } from "./answer.ts";
import type { Answer, CrdCase, Suite } from "./suite.ts";

/** A suite with the answers of a real server. */
export interface Golden {
  readonly suite: Suite;
  readonly answers: readonly Answer[];
}
export interface GoldenCrd extends CrdCase {
  readonly answer: Answer;
}

/** What a real kube-apiserver answered; the conformance run keeps it up to date. */
export function golden<T>(file: string): readonly T[] {
  return JSON.parse(readFileSync(new URL(`golden/${file}`, import.meta.url), "utf8"));
}

/** Without the message where the causes say it all: that halves the files. Sorted: the order is not always the same. */
export function compact(answer: Answer): Answer {
  if (answer.warnings !== undefined) return { ...answer, warnings: [...answer.warnings].sort() };
  if (answer.causes === undefined || !isSaidByCauses(answer)) return answer;
  const { message: _, causes, ...rest } = answer;
  return { ...rest, causes: [...causes].sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)) };
}

/** Our answer with as much in it as was kept of theirs. */
export function likewise(ours: Answer, theirs: Answer): unknown {
  return comparable(theirs.message === undefined ? compact(ours) : ours);
}

function isSaidByCauses({ message = "", causes = [] }: Answer): boolean {
  const texts = new Set(causes.map(({ field, message: detail }) => `${field}: ${detail}`));
  const [, list = ""] = /^\S+ "[^"]*" is invalid: (.*)$/s.exec(message) ?? [];
  return list === (texts.size === 1 ? [...texts][0] : `[${[...texts].join(", ")}]`);
}
