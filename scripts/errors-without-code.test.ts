import { describe, expect, it } from "vitest";
import { findErrorsWithoutCode } from "./errors-without-code.ts";

const find = (text: string, file = "packages/pintle/src/cache/example.ts") => findErrorsWithoutCode([{ file, text }]);

describe("findErrorsWithoutCode", () => {
  it("reports a plain error with its file and line", () => {
    expect(find('const a = 1;\nthrow new Error("broken");')).toEqual([
      "packages/pintle/src/cache/example.ts:2: this error has no code. Throw a PintleError, or an InternalError for a bug",
    ]);
    for (const name of ["TypeError", "RangeError", "SyntaxError"]) expect(find(`reject(new ${name}("broken"))`)).toHaveLength(1);
  });

  it("reports a class that extends Error and declares no code", () => {
    expect(find('export class Broken extends Error {\n  override readonly name = "Broken";\n}')).toEqual([
      "packages/pintle/src/cache/example.ts: class Broken has no code. Extend PintleError",
    ]);
  });

  it("accepts errors with a code, internal errors, abort reasons and comments", () => {
    expect(find('throw new PintleError("PINTLE1001", "no cluster");\nthrow new InternalError("broken");')).toEqual([]);
    expect(find('controller.abort(new Error("stopped"));\n * throw new Error("example");')).toEqual([]);
    expect(find('throw Object.assign(new AggregateError(errors), { code: "PINTLE3025" });')).toEqual([]);
    expect(find("export class Coded extends TypeError {\n  readonly code: ErrorCode;\n}")).toEqual([]);
  });

  it("accepts plain errors of files that are listed with the place that handles them", () => {
    expect(find('throw new Error("not in 0-59");', "packages/cluster/src/controllers/cron-job/schedule.ts")).toEqual([]);
  });
});
