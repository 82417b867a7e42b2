import { expect, test, vi } from "vitest";
import { ignoreError, runInBackground } from "./run-in-background.ts";

/** Resolves when every rejection without a handler has been announced. */
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

async function listUnhandledRejections(run: () => void): Promise<readonly unknown[]> {
  const unhandled: unknown[] = [];
  const listeners = process.listeners("unhandledRejection");
  process.removeAllListeners("unhandledRejection");
  process.on("unhandledRejection", (error) => unhandled.push(error));
  try {
    run();
    await nextTurn();
    await nextTurn();
    return unhandled;
  } finally {
    process.removeAllListeners("unhandledRejection");
    for (const listener of listeners) process.on("unhandledRejection", listener);
  }
}

test("passes the rejection to the handler", async () => {
  const errors: unknown[] = [];
  const unhandled = await listUnhandledRejections(() => runInBackground(Promise.reject(new Error("gone")), (error) => errors.push(error)));
  expect([errors, unhandled]).toEqual([[new Error("gone")], []]);
});

test("calls no handler for a promise that resolves, and accepts no promise at all", async () => {
  const errors: unknown[] = [];
  runInBackground(Promise.resolve(1), (error) => errors.push(error));
  runInBackground(undefined, (error) => errors.push(error));
  await nextTurn();
  expect(errors).toEqual([]);
});

test("prints an error that has no handler, and one that the handler throws", async () => {
  const print = vi.spyOn(console, "error").mockImplementation(() => {});
  try {
    const unhandled = await listUnhandledRejections(() => {
      runInBackground(Promise.reject(new Error("first")));
      runInBackground(Promise.reject(new Error("second")), (error) => {
        throw error;
      });
      runInBackground(Promise.reject(new Error("third")), ignoreError);
    });
    expect(print.mock.calls.map(([, error]) => (error as Error).message)).toEqual(["first", "second"]);
    expect(unhandled).toEqual([]);
  } finally {
    print.mockRestore();
  }
});
