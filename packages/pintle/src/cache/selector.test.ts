import { describe, expect, test } from "vitest";
import { labelSelector, matcher } from "./selector.ts";

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
    ["a!=b", {}, true],
    ["a!=b", { a: "b" }, false],
    ["a=", { a: "" }, true],
    ["app in (web, api)", { app: "api" }, true],
    ["app in (web,api),!legacy", { app: "api", legacy: "yes" }, false],
    ["app notin (web)", {}, true],
    ["app notin (web)", { app: "web" }, false],
    ["example.com/app in (web)", { "example.com/app": "web" }, true],
  ])("%s of %o is %s", (text, labels, expected) => {
    expect(matcher(text).matches(labels as Record<string, string>)).toBe(expected);
    // What is sent to the server means the same.
    expect(matcher(matcher(text).text).matches(labels as Record<string, string>)).toBe(expected);
  });

  test("what cannot be read is refused with the place", () => {
    expect(() => matcher("a in web")).toThrow(/cannot read/);
    expect(() => labelSelector({ matchExpressions: [{ key: "a", operator: "Maybe" }] })).toThrow(/Maybe is not an operator/);
  });

  test("a LabelSelector: empty matches everything, absent nothing", () => {
    expect(labelSelector({}).matches(undefined)).toBe(true);
    expect(labelSelector(undefined).matches({ a: "b" })).toBe(false);
    const selector = labelSelector({
      matchLabels: { app: "web" },
      matchExpressions: [{ key: "tier", operator: "NotIn", values: ["db", "queue"] }],
    });
    expect(selector.text).toBe("app=web,tier notin (db,queue)");
    expect([selector.matches({ app: "web" }), selector.matches({ app: "web", tier: "db" })]).toEqual([true, false]);
  });
});
