import { describe, expect, test } from "vitest";
import { compileLabelSelector, createLabelMatcher, isEmptyLabelSelector, matchesLabelSelector } from "./label-matcher.ts";

describe("label selectors", () => {
  test.each([
    ["", { a: "b" }, true],
    ["a", { a: "" }, true],
    ["a", {}, false],
    ["!a", {}, true],
    ["! a", { a: "b" }, false],
    ["a=b", { a: "b" }, true],
    ["a==b", { a: "c" }, false],
    ["a = b , c=d", { a: "b", c: "d" }, true],
    ["a,", { a: "b" }, true],
    ["a!=b", {}, true],
    ["a!=b", { a: "b" }, false],
    ["a=", { a: "" }, true],
    ["app in (web, api)", { app: "api" }, true],
    ["app in (web,api),!legacy", { app: "api", legacy: "yes" }, false],
    ["app notin (web)", {}, true],
    ["app notin (web)", { app: "web" }, false],
    ["example.com/app in (web)", { "example.com/app": "web" }, true],
    ["cores>4", { cores: "16" }, true],
    ["cores<4", { cores: "16" }, false],
    ["cores>4", { cores: "many" }, false],
  ])("%j evaluated on %o is %s, also after formatting", (text, labels, expected) => {
    expect(createLabelMatcher(text).matches(labels as Record<string, string>)).toBe(expected);
    expect(createLabelMatcher(createLabelMatcher(text).selectorText).matches(labels as Record<string, string>)).toBe(expected);
  });

  test.each([
    ["a in web", "a in web"],
    ["a=b,c in d", "c in d"],
    ["a=b c", "a=b c"],
    ["a,,b", ",b"],
  ])("%j is refused, naming the requirement that cannot be parsed", (text, rest) => {
    expect(() => createLabelMatcher(text)).toThrow(`label selector ${JSON.stringify(text)}: cannot read ${JSON.stringify(rest)}`);
  });

  test("an unknown operator is refused", () => {
    const selector = { matchExpressions: [{ key: "a", operator: "Maybe" as "In" }] };
    expect(() => compileLabelSelector(selector)).toThrow("label selector: Maybe is not an operator");
  });

  test("an empty LabelSelector matches everything, an absent one nothing", () => {
    expect(compileLabelSelector({}).matches(undefined)).toBe(true);
    expect(compileLabelSelector(undefined).matches({ a: "b" })).toBe(false);
    expect([isEmptyLabelSelector(undefined), isEmptyLabelSelector({}), isEmptyLabelSelector({ matchLabels: { a: "b" } })]).toEqual([
      true,
      true,
      false,
    ]);
  });

  test("matchLabels and matchExpressions must all hold", () => {
    const spec = { matchLabels: { app: "web" }, matchExpressions: [{ key: "tier", operator: "NotIn" as const, values: ["db", "queue"] }] };
    const selector = compileLabelSelector(spec);
    expect(selector.selectorText).toBe("app=web,tier notin (db,queue)");
    for (const [labels, expected] of [
      [{ app: "web" }, true],
      [{ app: "web", tier: "db" }, false],
    ] as const) {
      expect(selector.matches(labels)).toBe(expected);
      expect(matchesLabelSelector(spec, labels)).toBe(expected);
    }
  });

  test.each(["constructor", "toString", "hasOwnProperty", "__proto__"])("%s is no label of an object that does not have it", (key) => {
    expect(createLabelMatcher(key).matches({})).toBe(false);
    expect(createLabelMatcher(`!${key}`).matches({})).toBe(true);
    expect(createLabelMatcher(`${key}!=a`).matches({})).toBe(true);
    expect(compileLabelSelector({ matchExpressions: [{ key, operator: "Exists" }] }).matches({})).toBe(false);
    expect(matchesLabelSelector({ matchExpressions: [{ key, operator: "DoesNotExist" }] }, {})).toBe(true);
    const labels = JSON.parse(`{"${key}":"a"}`) as Record<string, string>;
    expect(createLabelMatcher(`${key}=a`).matches(labels)).toBe(true);
  });
});
