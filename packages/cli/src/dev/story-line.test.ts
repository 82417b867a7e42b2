import { expect, test } from "vitest";
import { storyLine } from "./story-line.ts";

const plain = { verbose: false, colour: false };
const line = (fields: object) => JSON.stringify({ time: "2026-01-02T03:04:05.678Z", level: "info", ...fields });

test("object, what woke it, and what was decided", () => {
  const said = storyLine(
    line({
      message: "reconciled",
      controller: "store",
      object: "default/a",
      reasons: ["spec changed"],
      plan: "apply Deployment",
      took: 12,
    }),
    plain,
  );
  expect(said).toMatch(/^\d\d:\d\d:\d\d {2}default\/a {2}spec changed -> {2}apply Deployment {2}12 ms$/);
});

test("an error says what happened", () => {
  const said = storyLine(
    line({
      level: "error",
      message: "reconcile failed, will be retried",
      object: "default/a",
      error: { message: "no luck", stack: "..." },
    }),
    plain,
  );
  expect(said).toMatch(/default\/a {2}reconcile failed, will be retried: no luck$/);
});

test("what led to nothing is shown on request, and other output as it is", () => {
  const settled = line({ level: "debug", message: "reconciled", object: "default/a" });
  expect(storyLine(settled, plain)).toBeUndefined();
  expect(storyLine(settled, { ...plain, verbose: true })).toContain("reconciled");
  expect(storyLine("console.log of the user", plain)).toBe("console.log of the user");
  expect(storyLine('{"json":"but no log line"}', plain)).toBe('{"json":"but no log line"}');
  expect(storyLine("", plain)).toBeUndefined();
});

test("colours only when asked for", () => {
  const failed = line({ level: "error", message: "failed" });
  expect(storyLine(failed, plain)).not.toContain("\u001b");
  expect(storyLine(failed, { ...plain, colour: true })).toBe(`\u001b[31m${storyLine(failed, plain)}\u001b[0m`);
});
