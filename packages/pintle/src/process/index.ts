/**
 * Settings of the whole process. Only the entry point of a program calls them: the `pintle` command, the images that it builds, the
 * drop-in programs. `run()` and `startCluster()` do not, because the process belongs to the program that calls them. Imports nothing.
 */
export { DEFER_OPTIMIZATION, deferOptimization } from "./defer-optimization.ts";
