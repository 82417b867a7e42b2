import { expect, test } from "vitest";
import { freeze } from "../store/index.ts";
import { sharedText } from "./shared-text.ts";

const pod = freeze({ kind: "Pod", metadata: { name: "a", labels: { "ü\n": '"' } }, spec: { ports: [80, 1.5], none: null }, status: {} });
const cases: readonly unknown[] = [
  null,
  "text",
  1.5,
  true,
  [],
  {},
  [1, [], {}, null],
  pod,
  { kind: "PodList", metadata: {}, items: [pod, { ...pod, spec: undefined }] },
  { kind: "Table", rows: [{ cells: ["a", null, 1], object: { metadata: pod.metadata } }] },
  freeze({ metadata: { name: "frozen" }, items: [{ metadata: {} }], __proto__: null }),
];

test.each(cases)("is what JSON.stringify writes: %j", (value) => {
  expect(sharedText(value).text).toBe(JSON.stringify(value));
  expect(sharedText(value).text).toBe(JSON.stringify(value));
});

test("integers beyond 2^53 keep their digits", () => {
  expect(sharedText(freeze({ metadata: {}, spec: { big: 9007199254740993n } })).text).toBe(
    '{"metadata":{},"spec":{"big":9007199254740993}}',
  );
});
