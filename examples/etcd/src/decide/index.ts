/**
 * Decides what comes next. In comes what was observed and what is wanted; out comes one step, as a value. Nothing here asks or does
 * anything.
 */
export { analyse, highestOrdinal } from "./analyse.ts";
export { nextSnapshot, type Schedule, type Snapshot } from "./next-snapshot.ts";
export { type Observed, type Restore, type Seen, type State, type Step, type Volume, votersOf, type Wanted } from "./observed.ts";
export { byVersion } from "./renewal.ts";
