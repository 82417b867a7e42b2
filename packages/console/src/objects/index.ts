/**
 * Objects as the page names and summarizes them. In: objects as they are stored. Out: paths, states, summaries, trees.
 */
export { createKindNames, type KindNames } from "./kind-names.ts";
export { matchesSelector } from "./matches-selector.ts";
export { keyOfPath, type PathParts, parsePath, pathOfKey } from "./object-path.ts";
export { listConditions, stateOf } from "./object-state.ts";
export { compareTrouble, summarize } from "./summarize.ts";
