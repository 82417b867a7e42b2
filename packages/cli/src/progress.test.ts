import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { progress } from "./progress.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

async function waited(tty: boolean, milliseconds: number): Promise<string> {
  let said = "";
  const work = new Promise<string>((resolve) => setTimeout(() => resolve("done"), milliseconds));
  const result = progress({ tty, err: (text) => (said += text) }, "building", work);
  await vi.advanceTimersByTimeAsync(milliseconds);
  expect(await result).toBe("done");
  return said;
}

test("what takes longer than a second is named while it lasts, on a terminal only", async () => {
  expect(await waited(true, 1500)).toBe("building ...\r\u001b[K");
  expect(await waited(true, 500)).toBe("");
  expect(await waited(false, 1500)).toBe("");
});
