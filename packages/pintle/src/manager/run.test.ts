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
