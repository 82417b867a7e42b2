/** Errors that a program makes rather than meets: what would be a panic elsewhere. */
export function isBug(error: unknown): boolean {
  return error instanceof TypeError || error instanceof ReferenceError || error instanceof RangeError;
}
