/**
 * Writing files with keys and tokens. In: a path and its content. Out: a complete file that only this user can read. Imports nothing.
 */
export { type PrivateFileOptions, writePrivateFile } from "./write-private-file.ts";
