import { expect, test } from "vitest";
import { createStringCache } from "./string-cache.ts";

const KEY_BYTES = 1024;
const key = (n: number) => String(n).padStart(KEY_BYTES / 2, "0");

test("a string cache retains at most its bytes, whatever the number of keys", () => {
  const cache = createStringCache<number>(64 * KEY_BYTES);
  for (let n = 0; n < 10_000; n++) cache.set(key(n), n);
  const retained = Array.from({ length: 10_000 }, (_, n) => n).filter((n) => cache.get(key(n)) !== undefined);
  expect(retained.length).toBeGreaterThan(20);
  expect(retained.length).toBeLessThanOrEqual(64);
});

test("a string cache retains the entries that were used recently", () => {
  const cache = createStringCache<string>(64 * KEY_BYTES);
  cache.set("often", "value");
  for (let n = 0; n < 1000; n++) {
    cache.set(key(n), "other");
    expect(cache.get("often")).toBe("value");
  }
});

test("a string cache does not retain a key that would evict most others", () => {
  const cache = createStringCache<number>(64 * KEY_BYTES);
  cache.set("small", 1);
  cache.set("x".repeat(10 * KEY_BYTES), 2);
  expect([cache.get("small"), cache.get("x".repeat(10 * KEY_BYTES))]).toEqual([1, undefined]);
});

test("a string cache counts the bytes of values", () => {
  const cache = createStringCache<Uint8Array>(64 * KEY_BYTES, ({ length }) => length);
  for (let n = 0; n < 100; n++) cache.set(`${n}`, new Uint8Array(8 * KEY_BYTES));
  const retained = Array.from({ length: 100 }, (_, n) => n).filter((n) => cache.get(`${n}`) !== undefined);
  expect(retained.length).toBeLessThanOrEqual(8);
});
