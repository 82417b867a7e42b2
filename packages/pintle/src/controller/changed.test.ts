import { expect, test } from "vitest";
import { changed } from "./changed.ts";

const object = (generation: number, labels?: Record<string, string>, annotations?: Record<string, string>) => ({
  metadata: { generation, labels, annotations },
});

test("filters see what changed; beginnings and ends always count", () => {
  const plain = object(1, { a: "1" });
  for (const filter of Object.values(changed)) {
    expect([filter(undefined, plain), filter(plain, undefined)]).toEqual([true, true]);
    expect(filter(plain, object(1, { a: "1" }))).toBe(false);
  }
  expect(changed.generation(plain, object(2, { a: "1" }))).toBe(true);
  expect(changed.labels(plain, object(1, { a: "2" }))).toBe(true);
  expect(changed.labels(plain, object(2, { a: "1" }, { b: "1" }))).toBe(false);
  expect(changed.annotations(plain, object(1, { a: "2" }, { b: "1" }))).toBe(true);
  expect(changed.annotations(object(1), object(1, undefined, {}))).toBe(false);
});
