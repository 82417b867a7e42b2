import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { afterEach, expect, test, vi } from "vitest";
import type { Client } from "../client/index.ts";
import { createLogger } from "./create-logger.ts";
import { run } from "./run.ts";

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

test("a process that was told to stop and does not end by itself exits after five seconds and says what keeps it alive", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  const exit = vi.spyOn(process, "exit").mockImplementation(() => undefined as never);
  const lines: Record<string, unknown>[] = [];
  const logger = createLogger({ write: (line) => lines.push(JSON.parse(line) as Record<string, unknown>) });
  const done = run({ controllers: [], client: {} as Client, health: "0", metrics: "0", logger });
  process.emit("SIGTERM", "SIGTERM");
  await done;
  await vi.advanceTimersByTimeAsync(4_999);
  expect(exit).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(exit).toHaveBeenCalledExactlyOnceWith(1);
  expect(lines.at(-1)).toMatchObject({ level: "warn", message: expect.stringMatching(/^Exiting: /), resources: expect.any(Array) });
});

test("a failure of the manager that the program does not handle is one log line, and the exit code is 1", { timeout: 30_000 }, () => {
  const program = 'import { run } from "pintle"; await run({ controllers: [], client: {}, metrics: "0", health: "not an address" });';
  const flags = ["--conditions=@pintle/source", "--import", "tsx", "--input-type=module", "--eval", program];
  const { status, stderr } = spawnSync(process.execPath, flags, {
    cwd: fileURLToPath(new URL("../..", import.meta.url)),
    encoding: "utf8",
  });
  const lines = stderr.trim().split("\n");
  expect([status, lines.length]).toEqual([1, 1]);
  expect(JSON.parse(lines[0]!)).toMatchObject({
    level: "error",
    message: "Manager failed",
    error: expect.stringContaining("not an address"),
  });
});
