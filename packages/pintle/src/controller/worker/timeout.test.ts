import { expect, test } from "vitest";
import { virtualClock } from "../../clock/index.ts";
import { type TimeoutOptions, type WorkSignal, withTimeout } from "./timeout.ts";

function setup(timeout?: number) {
  const clock = virtualClock();
  const stop = new AbortController();
  const options: TimeoutOptions = {
    clock,
    timeout,
    stop: stop.signal,
    onTimeout() {},
    onSlow() {},
    describeProgress: () => "waiting",
  };
  return { clock, stop, options };
}

test("a signal is created once, and aborted when the work has ended", async () => {
  const { options } = setup();
  let signal: AbortSignal | undefined;
  await withTimeout(options, async (work) => {
    signal = work.signal;
    expect(work.awaitedSignal).toBe(signal);
    expect(signal.aborted).toBe(false);
  });
  expect(signal).toMatchObject({ aborted: true, reason: { name: "AbortError" } });
});

test("a signal that is first read after the work has ended is aborted", async () => {
  const { options } = setup();
  let ended: WorkSignal | undefined;
  let awaited: AbortSignal | undefined;
  await withTimeout(options, async (work) => {
    ended = work;
    awaited = work.awaitedSignal;
  });
  expect(awaited!.aborted).toBe(false);
  expect(ended!.signal).toMatchObject({ aborted: true, reason: { name: "AbortError" } });
  expect(() => ended!.throwIfAborted()).toThrow("the reconcile pass has ended");
});

test("a signal that is first read after the stop is aborted with its reason", async () => {
  const { options, stop } = setup();
  const reason = new Error("stopping");
  await withTimeout(options, async (work) => {
    stop.abort(reason);
    expect(() => work.throwIfAborted()).toThrow(reason);
    expect(work.awaitedSignal.reason).toBe(reason);
    expect(work.signal.reason).toBe(reason);
  });
});

test("requests that the work awaits are aborted after the timeout", async () => {
  const { options, clock } = setup(10_000);
  const work = withTimeout(
    options,
    ({ awaitedSignal }) => new Promise<void>((_, reject) => awaitedSignal.addEventListener("abort", () => reject(awaitedSignal.reason))),
  );
  const failed = expect(work).rejects.toThrow("not finished after 10 s (waiting)");
  await clock.advance(10_000);
  await failed;
});
