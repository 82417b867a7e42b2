import { full, seed } from "../sampling.ts";

/** In a sample run, true for one of the four groups of long tests. */
export const isSampled = (which: number): boolean => full || seed % 4 === which;
