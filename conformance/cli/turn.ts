import { full, seed } from "../sampling.ts";

/** The long tests of this folder take turns in a sample, one a day. */
export const turn = (which: number): boolean => full || seed % 4 === which;
