import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { parse, stringify } from "yaml";
import { parseMinor } from "./kubectls.ts";
import type { RecordedOutput, RecordedStep } from "./run-scenario.ts";

/** The outputs recorded from a real server: per command, each output with the kubectl minors that printed it. */
export type GoldenFile = readonly GoldenEntry[];
interface GoldenEntry {
  readonly run: string;
  readonly answers: readonly GoldenAnswer[];
}
/** An exit code of 0 and empty texts are omitted. */
interface GoldenAnswer {
  /** "1.27 1.28 1.36" */
  readonly kubectl: string;
  readonly code?: number | null;
  readonly out?: string;
  readonly err?: string;
}

export async function readGolden(file: URL): Promise<GoldenFile> {
  return existsSync(file) ? (parse(await readFile(file, "utf8")) as GoldenFile) : [];
}

export async function writeGolden(file: URL, golden: GoldenFile): Promise<void> {
  await writeFile(file, stringify(golden, { lineWidth: 0, blockQuote: "literal" }));
}

export function listMinors(golden: GoldenFile): ReadonlySet<string> {
  return new Set(golden.flatMap(({ answers }) => answers.flatMap(({ kubectl }) => kubectl.split(" "))));
}

/** Selects the outputs of one minor, in order. */
export function selectGolden(golden: GoldenFile, minor: string): readonly RecordedStep[] {
  return golden.flatMap(({ run, answers }) => {
    const answer = answers.find(({ kubectl }) => kubectl.split(" ").includes(minor));
    return answer === undefined
      ? []
      : [{ run, answer: { code: answer.code === undefined ? 0 : answer.code, out: answer.out ?? "", err: answer.err ?? "" } }];
  });
}

/** Builds the golden file from the outputs of each minor; minors with the same output share an entry. */
export function buildGolden(runs: readonly string[], outputs: ReadonlyMap<string, readonly RecordedStep[]>): GoldenFile {
  const minors = [...outputs.keys()].sort((a, b) => parseMinor(a) - parseMinor(b));
  const remaining = new Map(minors.map((minor) => [minor, [...outputs.get(minor)!]]));
  return runs.map((run) => {
    const shared = new Map<string, string[]>();
    for (const minor of minors) {
      const rest = remaining.get(minor)!;
      if (rest[0]?.run !== run) continue;
      const answer = JSON.stringify(rest.shift()!.answer);
      shared.set(answer, [...(shared.get(answer) ?? []), minor]);
    }
    return { run, answers: [...shared].map(([answer, kubectl]) => buildAnswer(JSON.parse(answer), kubectl.join(" "))) };
  });
}

function buildAnswer({ code, out, err }: RecordedOutput, kubectl: string): GoldenAnswer {
  return { kubectl, ...(code === 0 ? {} : { code }), ...(out === "" ? {} : { out }), ...(err === "" ? {} : { err }) };
}

/** Formats commands and outputs as a terminal session, so that a difference is shown in its context. */
export function formatTranscript(played: readonly RecordedStep[]): string {
  return played
    .map(({ run, answer: { code, out, err } }) =>
      [`$ kubectl ${run}\n`, out, err.replace(/^(?=.)/gm, "! "), code === 0 ? "" : `! exit ${code}\n`].join(""),
    )
    .join("\n");
}
