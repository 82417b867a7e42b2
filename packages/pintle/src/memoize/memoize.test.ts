import { expect, test, vi } from "vitest";
import { memoize, memoizeByKey } from "./index.ts";

test("memoize without parameters computes on the first call only, also undefined", () => {
  const compute = vi.fn(() => undefined);
  // A mock has no parameters, and neither has the wrapped function.
  const memoized = memoize(() => compute());
  expect(compute).not.toHaveBeenCalled();
  expect([memoized(), memoized()]).toEqual([undefined, undefined]);
  expect(compute).toHaveBeenCalledTimes(1);
});

test("memoize with one parameter computes once for each object", () => {
  const compute = vi.fn((object: { n: number }) => ({ n: object.n }));
  const memoized = memoize((object: { n: number }) => compute(object));
  const [a, b] = [{ n: 1 }, { n: 1 }];
  expect(memoized(a)).toBe(memoized(a));
  expect(memoized(b)).not.toBe(memoized(a));
  expect(compute).toHaveBeenCalledTimes(2);
});

test("memoizeByKey computes once for each string, and undefined again", () => {
  const compute = vi.fn((key: string) => (key === "" ? undefined : [key]));
  const memoized = memoizeByKey(compute);
  expect(memoized("a")).toBe(memoized("a"));
  expect([memoized("b"), memoized(""), memoized("")]).toEqual([["b"], undefined, undefined]);
  expect(compute.mock.calls.map(([key]) => key)).toEqual(["a", "b", "", ""]);
});

test("memoize with two parameters computes once for each ordered pair", () => {
  const compute = vi.fn((a: object, b: object) => [a, b]);
  const memoized = memoize((a: object, b: object) => compute(a, b));
  const [a, b] = [{}, {}];
  expect(memoized(a, b)).toBe(memoized(a, b));
  expect(memoized(b, a)).toEqual([b, a]);
  expect(compute).toHaveBeenCalledTimes(2);
});
