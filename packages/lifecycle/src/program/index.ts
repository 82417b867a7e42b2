/**
 * The program `pintle-lifecycle-manager`, which the image of the manager runs: controllers, catalog server, webhook, leader election and probes in one
 * process.
 *
 * In: flags and environment variables with the names of catalogd and operator-controller, and a cluster. Out: an exit code. `run-program.ts` has the order
 * in which the parts start and stop.
 */
export { formatProgramHelp, type ProgramFlags, parseProgramFlags } from "./flags.ts";
export { LEASE_NAMES, UPSTREAM_TIMINGS } from "./leases.ts";
export { main } from "./main.ts";
export { type RunningProgram, type RunProgramOptions, startProgram } from "./run-program.ts";
