import { expect, test } from "vitest";
import { predicates } from "./predicates.ts";

const object = (generation: number, labels?: Record<string, string>, annotations?: Record<string, string>) => ({
  metadata: { generation, labels, annotations },
});

test("predicates compare old and new objects; creations and deletions always pass", () => {
  const plain = object(1, { a: "1" });
  for (const filter of Object.values(predicates)) {
    expect([filter(undefined, plain), filter(plain, undefined)]).toEqual([true, true]);
    expect(filter(plain, object(1, { a: "1" }))).toBe(false);
  }
  expect(predicates.generationChanged(plain, object(2, { a: "1" }))).toBe(true);
  expect(predicates.labelsChanged(plain, object(1, { a: "2" }))).toBe(true);
  expect(predicates.labelsChanged(plain, object(2, { a: "1" }, { b: "1" }))).toBe(false);
  expect(predicates.annotationsChanged(plain, object(1, { a: "2" }, { b: "1" }))).toBe(true);
  expect(predicates.annotationsChanged(object(1), object(1, undefined, {}))).toBe(false);
});
