import { createMatcher, type MatchBudget, MatchBudgetExceeded, type Matcher } from "./match.ts";
import { parsePattern } from "./parse.ts";
import { compileProgram } from "./program.ts";

interface CompiledPattern {
  readonly matcher: Matcher;
  readonly size: number;
}

/** Compiled patterns, the least recently used first. */
const compiledPatterns = new Map<string, CompiledPattern>();
let totalSize = 0;
/** In instructions. An instruction occupies about 50 bytes, with the states that are kept. */
const MAX_TOTAL_SIZE = 500_000;
/** Every pattern has some cost beside its instructions. */
const PATTERN_SIZE = 500;

/** Work that takes about a fifth of a second. */
const DEFAULT_WORK = 10_000_000;

/** Creates the budget of one request, or of one other unit of work during which nothing else runs. */
export function createMatchBudget(work = DEFAULT_WORK): MatchBudget {
  return { remaining: work };
}

/** Throws `SyntaxError` with Go's error text if the pattern is invalid. */
export function checkPattern(source: string): void {
  if (!compiledPatterns.has(source)) parsePattern(source);
}

/** Returns whether the pattern matches anywhere in the text. Throws `SyntaxError`, and `MatchBudgetExceeded`. */
export function matchesPattern(source: string, text: string, budget: MatchBudget): boolean {
  return compile(source, budget).test(text, budget);
}

/** Returns up to `limit` matches from left to right. Throws `SyntaxError`, and `MatchBudgetExceeded`. */
export function findAllMatches(source: string, text: string, limit: number, budget: MatchBudget): readonly string[] {
  const matcher = compile(source, budget);
  const found: string[] = [];
  let previousEnd = -1;
  for (let at = 0; at <= text.length && found.length < limit; ) {
    const range = matcher.find(text, at, budget);
    if (range === undefined) break;
    const [start, end] = range;
    // An empty match directly after another match does not count.
    if (end > start || start !== previousEnd) found.push(text.slice(start, end));
    previousEnd = end;
    at = end > start || end >= text.length ? Math.max(end, at + (end > start ? 0 : 1)) : end + (text.codePointAt(end)! > 0xffff ? 2 : 1);
  }
  return found;
}

function compile(source: string, budget: MatchBudget): Matcher {
  const known = compiledPatterns.get(source);
  if (known !== undefined) {
    compiledPatterns.delete(source);
    compiledPatterns.set(source, known);
    return known.matcher;
  }
  const { node, size: instructions } = parsePattern(source);
  const size = instructions + source.length + PATTERN_SIZE;
  budget.remaining -= 10 * size;
  if (budget.remaining < 0) throw new MatchBudgetExceeded();
  const compiled = { matcher: createMatcher(compileProgram(node)), size };
  compiledPatterns.set(source, compiled);
  totalSize += size;
  for (const [oldest, { size: freed }] of compiledPatterns) {
    if (totalSize <= MAX_TOTAL_SIZE || oldest === source) break;
    compiledPatterns.delete(oldest);
    totalSize -= freed;
  }
  return compiled.matcher;
}
