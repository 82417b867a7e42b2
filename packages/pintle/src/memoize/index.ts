/**
 * One implementation of memoization, used by every other folder and package. In: a pure function. Out: the same function, which computes
 * each result once; and a cache by string for results that depend on what clients send. Imports nothing.
 */
export { createStringCache, type StringCache } from "./string-cache.ts";

/**
 * Returns a function that computes each result once. Without parameters the result is computed on the first call; with one or two object
 * parameters it is computed once for each object or pair of objects, compared by identity. Arguments are held weakly. The number of declared
 * parameters of `compute` selects the form. With parameters, `undefined` results are computed again.
 */
export function memoize<T>(compute: () => T): () => T;
export function memoize<A extends object, T>(compute: (a: A) => T): (a: A) => T;
export function memoize<A extends object, B extends object, T>(compute: (a: A, b: B) => T): (a: A, b: B) => T;
export function memoize(compute: (...args: any[]) => unknown): (...args: any[]) => unknown {
  if (compute.length === 0) return memoizeValue(compute);
  return compute.length === 1 ? memoizeByObject(compute) : memoizeByPair(compute);
}

/**
 * The same for a function of a string. Results are kept for good, so the strings with a result must be few: names in a table, not what clients
 * send. `undefined` results are computed again.
 */
export function memoizeByKey<T>(compute: (key: string) => T): (key: string) => T {
  return memoizeIn(new Map<string, T>(), compute);
}

function memoizeValue<T>(compute: () => T): () => T {
  let computed: { readonly value: T } | undefined;
  return () => {
    computed ??= { value: compute() };
    return computed.value;
  };
}

function memoizeByObject<A extends object, T>(compute: (a: A) => T): (a: A) => T {
  return memoizeIn(new WeakMap<A, T>(), compute);
}

interface ResultMap<A, T> {
  get(a: A): T | undefined;
  set(a: A, result: T): unknown;
}

function memoizeIn<A, T>(results: ResultMap<A, T>, compute: (a: A) => T): (a: A) => T {
  return (a) => {
    let result = results.get(a);
    if (result === undefined) {
      result = compute(a);
      results.set(a, result);
    }
    return result;
  };
}

function memoizeByPair<A extends object, B extends object, T>(compute: (a: A, b: B) => T): (a: A, b: B) => T {
  const resultsOf = memoizeByObject((_: A) => new WeakMap<B, T>());
  return (a, b) => {
    const results = resultsOf(a);
    let result = results.get(b);
    if (result === undefined) {
      result = compute(a, b);
      results.set(b, result);
    }
    return result;
  };
}
