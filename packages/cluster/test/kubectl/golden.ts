import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { parse, stringify } from "yaml";
import { order } from "./kubectls.ts";
import type { Answer, Played } from "./play.ts";

/** What kubectls heard from a real server: per command, the answers, each with the minors that got it. */
export type Golden = readonly Entry[];
interface Entry {
  readonly run: string;
  readonly answers: readonly Kept[];
}
/** Exit code 0 and empty texts go without saying. */
interface Kept {
  /** "1.27 1.28 1.36" */
  readonly kubectl: string;
  readonly code?: number | null;
  readonly out?: string;
  readonly err?: string;
}

export async function readGolden(file: URL): Promise<Golden> {
  return existsSync(file) ? (parse(await readFile(file, "utf8")) as Golden) : [];
}

export async function writeGolden(file: URL, golden: Golden): Promise<void> {
  await writeFile(file, stringify(golden, { lineWidth: 0, blockQuote: "literal" }));
}

export function minorsOf(golden: Golden): ReadonlySet<string> {
  return new Set(golden.flatMap(({ answers }) => answers.flatMap(({ kubectl }) => kubectl.split(" "))));
}

/** What one minor heard, in order. */
export function goldenOf(golden: Golden, minor: string): readonly Played[] {
  return golden.flatMap(({ run, answers }) => {
    const kept = answers.find(({ kubectl }) => kubectl.split(" ").includes(minor));
    return kept === undefined
      ? []
      : [{ run, answer: { code: kept.code === undefined ? 0 : kept.code, out: kept.out ?? "", err: kept.err ?? "" } }];
  });
}

/** The golden answers made of what each minor heard; minors that heard the same share an answer. */
export function goldenFrom(runs: readonly string[], heard: ReadonlyMap<string, readonly Played[]>): Golden {
  const minors = [...heard.keys()].sort((a, b) => order(a) - order(b));
  const left = new Map(minors.map((minor) => [minor, [...heard.get(minor)!]]));
  return runs.map((run) => {
    const shared = new Map<string, string[]>();
    for (const minor of minors) {
      const rest = left.get(minor)!;
      if (rest[0]?.run !== run) continue;
      const answer = JSON.stringify(rest.shift()!.answer);
      shared.set(answer, [...(shared.get(answer) ?? []), minor]);
    }
    return { run, answers: [...shared].map(([answer, kubectl]) => kept(JSON.parse(answer), kubectl.join(" "))) };
  });
}

function kept({ code, out, err }: Answer, kubectl: string): Kept {
  return { kubectl, ...(code === 0 ? {} : { code }), ...(out === "" ? {} : { out }), ...(err === "" ? {} : { err }) };
}

/** Commands and answers as one reads them in a terminal, so that a difference shows with what led to it. */
export function transcript(played: readonly Played[]): string {
  return played
    .map(({ run, answer: { code, out, err } }) =>
      [`$ kubectl ${run}\n`, out, err.replace(/^(?=.)/gm, "! "), code === 0 ? "" : `! exit ${code}\n`].join(""),
    )
    .join("\n");
}
