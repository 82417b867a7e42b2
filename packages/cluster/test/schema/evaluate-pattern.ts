import { createMatchBudget, findAllMatches, matchesPattern } from "../../src/schema/re2/index.ts";
import type { PatternCase, PatternResult } from "./random-patterns.ts";

/** Evaluates a pattern with the API server's engine. */
export function evaluatePattern({ pattern, texts }: PatternCase): PatternResult {
  const budget = createMatchBudget(Number.POSITIVE_INFINITY);
  try {
    return {
      matches: texts.map((text) => matchesPattern(pattern, text, budget)),
      found: texts.map((text) => findAllMatches(pattern, text, Number.POSITIVE_INFINITY, budget)),
    };
  } catch (error) {
    return { error: (error as Error).message };
  }
}
