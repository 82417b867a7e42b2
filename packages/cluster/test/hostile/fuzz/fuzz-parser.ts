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
export async function fuzzParser(parser: FuzzedParser, seed: number, count: number): Promise<ParserFuzzResult> {
  const { samples, parse } = parser;
  const random = seededRandom(seed);
  const failures: string[] = [];
  let accepted = 0;
  for (const sample of samples) await parse(Buffer.from(sample));
  for (let i = 0; i < count; i++) {
    const input = mutateBytes(random, Buffer.from(pick(random, samples)));
    const failure = await runParser(parser, input, () => {
      accepted++;
    });
    if (failure !== undefined) failures.push(failure);
  }
  return { accepted, failures };
}

/** Parses one input; returns a description of an unexpected error, or that it took too long. */
export async function runParser(
  { parse, isExpected }: FuzzedParser,
  input: Buffer,
  onAccepted: () => void = () => {},
): Promise<string | undefined> {
  const startedAt = performance.now();
  try {
    await parse(input);
    onAccepted();
  } catch (error) {
    if (!isExpected(error)) return `${input.toString("base64")}: ${String(error)}`;
  }
  return performance.now() - startedAt > MAX_PARSE_MS ? `${input.toString("base64")}: took too long` : undefined;
}
