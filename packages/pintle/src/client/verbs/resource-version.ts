import { InvalidArgumentError } from "../../errors/index.ts";
/**
 * Compares two resourceVersions of one resource: negative if `a` is older. They are decimal numbers of any length, compared as text.
 * Throws if one of them is not a decimal number.
 *
 * @example
 * ```ts
 * import { compareResourceVersions } from "pintle/client";
 *
 * console.log(compareResourceVersions("99", "100") < 0);
 * ```
 */
export function compareResourceVersions(a: string, b: string): number {
  assertDecimal(a);
  assertDecimal(b);
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : a > b ? 1 : 0;
}

function assertDecimal(version: string): void {
  if (!/^(0|[1-9][0-9]*)$/.test(version))
    throw new InvalidArgumentError(
      "PINTLE1059",
      `resourceVersion ${JSON.stringify(version)} is not a decimal number and cannot be ordered`,
    );
}
