import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { withProgress } from "./progress.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

async function runWithProgress(tty: boolean, milliseconds: number): Promise<string> {
  let written = "";
  const work = new Promise<string>((resolve) => setTimeout(() => resolve("done"), milliseconds));
  const result = withProgress({ tty, err: (text) => (written += text) }, "building", work);
  await vi.advanceTimersByTimeAsync(milliseconds);
  expect(await result).toBe("done");
  return written;
}

test("shows the label on a terminal while work takes longer than a second", async () => {
  expect(await runWithProgress(true, 1500)).toBe("building ...\r\u001b[K");
  expect(await runWithProgress(true, 500)).toBe("");
  expect(await runWithProgress(false, 1500)).toBe("");
});
