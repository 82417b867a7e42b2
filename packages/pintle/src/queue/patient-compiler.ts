import { setFlagsFromString } from "node:v8";

/** Bytes of code a function runs through before V8 thinks of optimising it; four times its own choice. */
const BUDGET = 500_000;

/**
 * Makes V8 slower to optimise. Operators and clusters work in bursts: of the CPU time that an operator's first thousand objects
 * took, a third went into optimising functions that soon had nothing to do. What runs often is optimised all the same, a little later.
 */
export function patientCompiler(): void {
  setFlagsFromString(`--interrupt-budget=${BUDGET}`);
}
