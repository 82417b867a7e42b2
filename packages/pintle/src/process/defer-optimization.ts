import { setFlagsFromString } from "node:v8";

/** How many bytes of bytecode a function executes before V8 considers optimizing it: seven times the default of the V8 in Node 20. */
const INTERRUPT_BUDGET = 500_000;

/**
 * The V8 flag that `deferOptimization` sets, and the V8 version that has it: that of Node 20. Later versions count calls instead of bytes and
 * print `unrecognized flag` for it. There is no way to ask V8 for its flags without starting a process, hence the version.
 */
export const DEFER_OPTIMIZATION = { flag: `--interrupt-budget=${INTERRUPT_BUDGET}`, v8: "11.3" } as const;

/**
 * Makes V8 optimize functions later, for the whole process. Operators and embedded clusters work in bursts: of the CPU time of an
 * operator's first thousand objects, a third went into optimizing functions that were idle soon after. Hot functions are still optimized.
 * Does nothing where V8 does not have the flag.
 */
export function deferOptimization(): void {
  if (process.versions.v8.startsWith(`${DEFER_OPTIMIZATION.v8}.`)) setFlagsFromString(DEFER_OPTIMIZATION.flag);
}
