/**
 * Regular expressions of users, with the syntax, the semantics and the error texts of Go's regexp package (RE2), in time that is bounded
 * whatever the pattern: a pattern is parsed in linear time, and matching visits each instruction of the program at most once per character,
 * counted against a budget. JavaScript's RegExp would backtrack.
 *
 * In: patterns and texts. Out: whether and where they match. Compiled programs are kept in a cache of bounded size.
 */
export { type MatchBudget, MatchBudgetExceeded } from "./match.ts";
export { checkPattern, createMatchBudget, findAllMatches, matchesPattern } from "./pattern-cache.ts";
