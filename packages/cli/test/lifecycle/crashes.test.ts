import { seededRandom } from "pintle/internal/clock";
import { expect, test } from "vitest";
import { rollBackWithCrashes, runWithCrashes } from "./crashes.ts";

/** The seeds of the schedules. More run with PINTLE_CRASH_SEEDS, such as 1-500. */
const [first = 1, last = 4] = (process.env["PINTLE_CRASH_SEEDS"] ?? "1-4").split("-").map(Number);

test.each([
  ["an upgrade", runWithCrashes],
  ["an upgrade that fails and is taken back, with derived rights", rollBackWithCrashes],
])(
  `in %s, a manager that is killed at its writes leaves what one does that is not, by schedules ${first} to ${last}`,
  async (_, run) => {
    const undisturbed = await run({ writesPerProcess: [] });
    expect(undisturbed.writes).toBeGreaterThan(40);
    for (let seed = first; seed <= last; seed++) {
      const random = seededRandom(seed);
      const writesPerProcess = Array.from({ length: 1 + Math.floor(random() * 8) }, () => 1 + Math.floor(random() * 20));
      const { state, keptUids } = await run({ writesPerProcess });
      expect(state, `seed ${seed}, killed after ${writesPerProcess} writes`).toBe(undisturbed.state);
      expect(keptUids, `seed ${seed}`).toBe(true);
    }
  },
  3_600_000,
);
