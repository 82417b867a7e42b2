import { expect, test } from "vitest";
import { formatErrorChain } from "./index.ts";

test("joins the causes of an error in one line", () => {
  const refused = Object.assign(new Error("connect ECONNREFUSED 127.0.0.1:5432"), { code: "ECONNREFUSED" });
  const error = new Error("could not reach billing", { cause: new TypeError("fetch failed", { cause: refused }) });
  expect(formatErrorChain(error)).toBe("could not reach billing: fetch failed: connect ECONNREFUSED 127.0.0.1:5432");
});

test("does not repeat a cause that the message contains, and ends at a cycle", () => {
  const cause = new Error("disk full");
  expect(formatErrorChain(new Error("could not write: disk full", { cause }))).toBe("could not write: disk full");
  const cyclic = new Error("one");
  cyclic.cause = new Error("two", { cause: cyclic });
  expect(formatErrorChain(cyclic)).toBe("one: two");
});

test("names the errors of an aggregate without a message, and values that are not errors", () => {
  const aggregate = new AggregateError([new Error("connect ECONNREFUSED ::1:1"), new Error("connect ECONNREFUSED 127.0.0.1:1")]);
  expect(formatErrorChain(new TypeError("fetch failed", { cause: aggregate }))).toBe(
    "fetch failed: connect ECONNREFUSED ::1:1; connect ECONNREFUSED 127.0.0.1:1",
  );
  expect(formatErrorChain("text")).toBe("text");
  expect(formatErrorChain({ code: 7 })).toBe('{"code":7}');
  expect(formatErrorChain(new RangeError(""))).toBe("RangeError");
});

test("returns one line of at most 1,000 characters", () => {
  expect(formatErrorChain(new Error("first\n   second"))).toBe("first second");
  expect(formatErrorChain(new Error("x".repeat(5_000)))).toHaveLength(1_000);
});
