import { Session } from "node:inspector/promises";
import { seededRandom } from "pintle/internal/clock";
import { runParser } from "./fuzz-parser.ts";
import { mutateBytes, pick } from "./mutate.ts";
import type { FuzzedParser } from "./parsers.ts";

export interface CoverageFuzzResult {
  /** How many inputs reached code that none before them reached. */
  readonly kept: number;
  readonly failures: readonly string[];
}

/** Asking the engine for coverage takes milliseconds, so several inputs are parsed in between. */
const BATCH = 100;

/**
 * Parses mutations of the samples and of every input that reached new code, so that mutations build on each other. The same seed gives the same
 * inputs, as long as the engine reports the same coverage.
 */
export async function fuzzWithCoverage(coverage: Coverage, parser: FuzzedParser, seed: number, count: number): Promise<CoverageFuzzResult> {
  const random = seededRandom(seed);
  const corpus: Buffer[] = parser.samples.map((sample) => Buffer.from(sample));
  const failures: string[] = [];
  const run = async (input: Buffer) => {
    const failure = await runParser(parser, input);
    if (failure !== undefined && !failures.includes(failure)) failures.push(failure);
  };
  const initial = corpus.length;
  for (const sample of corpus) await run(sample);
  await coverage.takeNew();
  for (let done = 0; done < count; done += BATCH) {
    const inputs = Array.from({ length: BATCH }, () => mutateBytes(random, pick(random, corpus)));
    for (const input of inputs) await run(input);
    let reached = await coverage.takeNew();
    if (reached.length === 0) continue;
    // Something of the batch reached new code: parse one after the other again to find out what.
    for (const input of inputs) {
      await run(input);
      const ran = await coverage.take();
      const left = reached.filter((block) => !ran(block));
      if (left.length < reached.length) corpus.push(input);
      reached = left;
      if (reached.length === 0) break;
    }
  }
  return { kept: corpus.length - initial, failures };
}

interface Block {
  readonly scriptId: string;
  readonly end: number;
}

/** The blocks of code that run. */
export interface Coverage {
  /** Returns a function that tells whether a block ran since the last call. */
  take(): Promise<(block: Block) => boolean>;
  /** Returns the blocks that ran for the first time since the last call. */
  takeNew(): Promise<readonly Block[]>;
}

/**
 * Starts the coverage of the engine for the rest of the process. A function has blocks only if it runs for the first time after that: start it before
 * any parser has run.
 */
export async function startCoverage(): Promise<Coverage> {
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
  const seen = new Set<string>();
  const takeFunctions = async () => {
    const { result } = await session.post("Profiler.takePreciseCoverage");
    const own = result.filter(({ url }) => !url.startsWith("node:") && !url.includes("/node_modules/"));
    return own.flatMap(({ scriptId, functions }) => functions.map(({ ranges }) => ({ scriptId, ranges })));
  };
  return {
    async take() {
      const functions = await takeFunctions();
      // Blocks that ran equally often are one range: the innermost one that contains the block's end tells how often it ran. Outer ranges come first.
      return ({ scriptId, end }) =>
        functions.some(
          (each) =>
            each.scriptId === scriptId &&
            (each.ranges.findLast(({ startOffset, endOffset }) => startOffset < end && end <= endOffset)?.count ?? 0) > 0,
        );
    },
    async takeNew() {
      const fresh: Block[] = [];
      for (const { scriptId, ranges } of await takeFunctions()) {
        for (const { startOffset: start, endOffset: end, count } of ranges) {
          const key = `${scriptId}:${start}-${end}`;
          if (count === 0 || seen.has(key)) continue;
          seen.add(key);
          fresh.push({ scriptId, end });
        }
      }
      return fresh;
    },
  };
}
