/** A source of numbers in [0, 1), like `Math.random`. */
export type Random = () => number;

/**
 * Returns a source of the same numbers for the same seed, so that a failure found by a randomized test can be reproduced.
 *
 * @example
 * ```ts
 * import { seededRandom } from "pintle/testing";
 *
 * const random = seededRandom(1);
 * console.log(random() === seededRandom(1)());
 * ```
 */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x9e3779b9) >>> 0;
    let bits = state;
    bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
    bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
    return ((bits ^ (bits >>> 16)) >>> 0) / 2 ** 32;
  };
}
