import { expect, test } from "vitest";
import { createInProcessGround, expectSameStates, rollBackWithCrashes, runWithCrashes } from "./crashes.ts";

/** The seeds of the schedules. More run with PINTLE_CRASH_SEEDS, such as 1-500. */
const [first = 1, last = 4] = (process.env["PINTLE_CRASH_SEEDS"] ?? "1-4").split("-").map(Number);
const seeds = Array.from({ length: last - first + 1 }, (_, i) => first + i);

test.each([
  ["an upgrade", runWithCrashes],
  ["an upgrade that fails and is taken back, with derived rights", rollBackWithCrashes],
])(
  `in %s, a manager that is killed at its writes leaves what one does that is not, by schedules ${first} to ${last}`,
  async (_, run) => {
    const { undisturbed } = await expectSameStates(createInProcessGround(), run, seeds);
    expect(undisturbed.writes).toBeGreaterThan(40);
  },
  3_600_000,
);
