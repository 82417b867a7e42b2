import { seededRandom } from "pintle/internal/clock";
import { mutateBytes, pick } from "./mutate.ts";
import type { FuzzedParser } from "./parsers.ts";

/** No mutated input is longer than a few kilobytes. */
const MAX_PARSE_MS = 1000;

export interface ParserFuzzResult {
  readonly accepted: number;
  /** Inputs that threw an unexpected error or took too long, with the error. */
  readonly failures: readonly string[];
}

/** Parses mutations of the samples, the same ones for the same seed. The samples themselves must be accepted. */
export async function fuzzParser({ samples, parse, isExpected }: FuzzedParser, seed: number, count: number): Promise<ParserFuzzResult> {
  const random = seededRandom(seed);
  const failures: string[] = [];
  let accepted = 0;
  for (const sample of samples) await parse(Buffer.from(sample));
  for (let i = 0; i < count; i++) {
    const input = mutateBytes(random, Buffer.from(pick(random, samples)));
    const startedAt = performance.now();
    try {
      await parse(input);
      accepted++;
    } catch (error) {
      if (!isExpected(error)) failures.push(`${input.toString("base64")}: ${String(error)}`);
    }
    if (performance.now() - startedAt > MAX_PARSE_MS) failures.push(`${input.toString("base64")}: took too long`);
  }
  return { accepted, failures };
}
