import { expect, test } from "vitest";
import { formatLogLine } from "./format-log-line.ts";

const plain = { verbose: false, color: false, root: "/home/me/shop" };
const line = (fields: object) => JSON.stringify({ time: "2026-01-02T03:04:05.678Z", level: "info", ...fields });

test("prints a reconciliation with object, duration and plan in the message, and the other fields as key=value", () => {
  const formatted = formatLogLine(
    line({
      message: "Reconciled",
      controller: "store",
      object: "default/a",
      reasons: ["Store default/a modified", "Deployment default/a added"],
      plan: "apply deployment Deployment default/a (missing)",
      duration: "12ms",
    }),
    plain,
  );
  expect(formatted).toMatch(
    /^\d\d:\d\d:\d\d INFO {2}Reconciled default\/a in 12ms: apply deployment Deployment default\/a \(missing\) controller=store reasons="Store default\/a modified, Deployment default\/a added"$/,
  );
});

test("appends the error message", () => {
  const formatted = formatLogLine(
    line({ level: "error", message: "Reconcile failed", object: "default/a", error: { message: "connection refused", stack: "..." } }),
    plain,
  );
  expect(formatted).toMatch(/ERROR Reconcile failed: connection refused object=default\/a$/);
});

test("hides debug lines unless verbose, and passes through output that is not a log line", () => {
  const settled = line({ level: "debug", message: "reconciled", object: "default/a" });
  expect(formatLogLine(settled, plain)).toBeUndefined();
  expect(formatLogLine(settled, { ...plain, verbose: true })).toContain("reconciled");
  expect(formatLogLine("console.log of the user", plain)).toBe("console.log of the user");
  expect(formatLogLine('{"json":"but no log line"}', plain)).toBe('{"json":"but no log line"}');
  expect(formatLogLine("", plain)).toBeUndefined();
});

test("colors a line by level only if requested", () => {
  const failed = line({ level: "error", message: "failed" });
  expect(formatLogLine(failed, plain)).not.toContain("\u001b");
  expect(formatLogLine(failed, { ...plain, color: true })).toBe(`\u001b[31m${formatLogLine(failed, plain)}\u001b[0m`);
});

test("shows the frames of the project with relative paths, without any those of other libraries, and all with --verbose", () => {
  const library = "    at parse (/home/me/shop/node_modules/yaml/dist/parse.js:1:2)";
  const pintle = "    at processItem (/home/me/shop/node_modules/pintle/dist/worker.js:1:2)";
  const own = "    at async call (/home/me/shop/src/store.ts:4:9)";
  const failed = (stacktrace: string, options = plain) =>
    formatLogLine(line({ level: "error", message: "failed", stacktrace }), options)!
      .split("\n")
      .slice(1);
  expect(failed([own, library, "caused by Error: refused", library].join("\n"))).toEqual([
    "    at async call (src/store.ts:4:9)",
    "caused by Error: refused",
  ]);
  expect(failed([library, pintle].join("\n"))).toEqual(["    at parse (node_modules/yaml/dist/parse.js:1:2)"]);
  expect(failed(pintle)).toEqual([]);
  expect(failed([own, pintle].join("\n"), { ...plain, verbose: true })).toHaveLength(2);
});
