/** Operations on text in linear time, for which regular expressions would need quadratic time or more. Everything here is pure. */
export { parseShortInteger } from "./integer.ts";
export { type PemBlock, splitPemBlocks } from "./pem.ts";
export { trimTrailing } from "./trim.ts";
