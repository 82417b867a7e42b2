import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { compileWithSources, type Diagnostic } from "./compiler.ts";

const lines = readFileSync(join(import.meta.dirname, "mistakes.ts"), "utf8").split("\n");
const EXPECTED = /^(\s*)\/\/ @ts-expect-error \[(.*?)\] (.*)$/;

/** Every expected error, with the line that it refers to. */
const mistakes = lines.flatMap((line, i) => {
  const found = EXPECTED.exec(line);
  return found ? [{ line: i + 2, token: found[2]!, message: found[3]! }] : [];
});

describe("compiler errors", () => {
  let reported: readonly Diagnostic[];
  beforeAll(async () => {
    const open = lines.map((line) => line.replace("// @ts-expect-error", "//"));
    reported = (await compileWithSources(open.join("\n"))).diagnostics;
  }, 60_000);

  it.each(mistakes)("$token: $message", ({ line, token, message }) => {
    const here = reported.filter((diagnostic) => diagnostic.line === line);
    const found = here.find((diagnostic) => diagnostic.message.includes(message));
    expect(found?.message ?? here.map((one) => one.message)).toEqual(expect.stringContaining(message));
    expect(lines[line - 1]!.slice(found!.column - 1)).toMatch(new RegExp(`^${token.replace(/[.(){}"]/g, "\\$&")}`));
    expect(found!.message.split("\n").length, "short enough to be read").toBeLessThanOrEqual(6);
  });

  it("has no other errors", () => {
    const known = new Set(mistakes.map(({ line }) => line));
    expect(reported.filter(({ line }) => !known.has(line))).toEqual([]);
  });
});
