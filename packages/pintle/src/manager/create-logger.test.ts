import { execFileSync } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { bufferLines, createLogger } from "./create-logger.ts";

test("buffered lines are written together and in order, later lines separately", async () => {
  const written: string[] = [];
  const write = bufferLines((text) => written.push(text), 5);
  write("a");
  write("b");
  expect(written).toEqual([]);
  while (written.length < 1) await delay(1);
  write("c");
  while (written.length < 2) await delay(1);
  expect(written).toEqual(["a\nb\n", "c\n"]);
});

test.each([
  ["a normal exit", ""],
  ["process.exit()", "process.exit(0);"],
  ["an uncaught exception", "process.on('uncaughtException', () => process.exit(0)); throw new Error('oh');"],
])("nothing is lost at %s", (_, end) => {
  const file = fileURLToPath(new URL("create-logger.ts", import.meta.url));
  const program = `const { bufferLines } = await import(${JSON.stringify(file)});
    const write = bufferLines((text) => process.stdout.write(text), 60_000);
    write("first"); write("last"); ${end}`;
  const output = execFileSync(process.execPath, ["--import", "tsx", "--input-type=module", "-e", program], { encoding: "utf8" });
  expect(output).toBe("first\nlast\n");
});

describe("errors", () => {
  const error = new Error("could not reach billing", { cause: new TypeError("fetch failed") });

  test("JSON: the message with all causes in `error`, the frames of both in `stacktrace`", () => {
    const lines: string[] = [];
    createLogger({ write: (line) => lines.push(line) }).error("Reconciler error", { error });
    const line = JSON.parse(lines[0]!);
    expect(line.error).toBe("could not reach billing: fetch failed");
    expect(line.stacktrace).toMatch(/^ {4}at .*create-logger\.test\.ts:\d+:\d+/);
    expect(line.stacktrace).toMatch(/\ncaused by TypeError: fetch failed\n {4}at .*create-logger\.test\.ts/);
    expect(line.stacktrace).not.toContain("node:internal");
  });

  test("text: the frames follow the line", () => {
    const lines: string[] = [];
    createLogger({ write: (line) => lines.push(line), humanReadable: true }).error("Reconciler error", { error, object: "default/a" });
    expect(lines[0]).toMatch(/ERROR Reconciler error error="could not reach billing: fetch failed" object=default\/a\n {4}at /);
  });
});
