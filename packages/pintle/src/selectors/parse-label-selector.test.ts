import { expect, test } from "vitest";
import { formatLabelSelector } from "./format-label-selector.ts";
import { parseLabelSelector } from "./parse-label-selector.ts";

test("every operator is parsed", () => {
  expect(parseLabelSelector("a=b,c!=d,e in (f,g),h notin (i),j,!k,l>1,m<2")).toEqual([
    { key: "a", operator: "In", values: ["b"] },
    { key: "c", operator: "NotIn", values: ["d"] },
    { key: "e", operator: "In", values: ["f", "g"] },
    { key: "h", operator: "NotIn", values: ["i"] },
    { key: "j", operator: "Exists", values: [] },
    { key: "k", operator: "DoesNotExist", values: [] },
    { key: "l", operator: "Gt", values: ["1"] },
    { key: "m", operator: "Lt", values: ["2"] },
  ]);
});

test.each([
  ["a,", "found '', expected: identifier after ','"],
  ["a b", "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
  ["=b", "found '=', expected: !, identifier, or 'end of string'"],
  ["a in b", "unable to parse requirement: found 'b' expected: '('"],
  ["a>x", `unable to parse requirement: values[0]: Invalid value: "x": for 'Gt', 'Lt' operators, the value must be an integer`],
])("%j is refused with the message of apimachinery", (text, message) => {
  expect(() => parseLabelSelector(text)).toThrow(message);
});

test("validators refuse keys and values", () => {
  const validators = { key: () => undefined, value: (value: string) => (value === "bad" ? "must be good" : undefined) };
  expect(() => parseLabelSelector("a=bad", validators)).toThrow(
    'unable to parse requirement: values[0][a]: Invalid value: "bad": must be good',
  );
});

test("a LabelSelector is formatted with sorted keys and values", () => {
  const selector = { matchLabels: { b: "1" }, matchExpressions: [{ key: "a", operator: "In" as const, values: ["y", "x"] }] };
  expect(formatLabelSelector(selector)).toBe("a in (x,y),b=1");
});
