/**
 * Scorecard of operator-sdk: its configuration, its six tests of bundles, and its formats. In: the bytes of files by their path. Out: results. Pure:
 * tests in images of their own are run by the caller.
 */
export { runBuiltInTest } from "./built-in-tests.ts";
export { readScorecardConfig, type ScorecardConfig } from "./config.ts";
export { createTestList, formatScorecardText, formatXunit } from "./format.ts";
export type { ScorecardResult, ScorecardState, ScorecardTest, ScorecardTestConfig, ScorecardTestList } from "./types.ts";
