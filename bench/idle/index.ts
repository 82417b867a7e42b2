import { setTimeout as delay } from "node:timers/promises";
import { type Arena, arena } from "../frame/arena.ts";
import { crowd } from "../frame/crowd.ts";
import { type Options, type Outcome, sized } from "../frame/outcome.ts";
import type { Side } from "../frame/sides.ts";
import { number, spreads } from "../frame/spread.ts";
import type { Column } from "../frame/table.ts";
import { turns } from "../frame/turns.ts";

const SIZES = {
  quick: { objects: 10, rest: 0, seconds: 1, repeats: 1 },
  usual: { objects: 200, rest: 30, seconds: 20, repeats: 1 },
  full: { objects: 1_000, rest: 30, seconds: 180, repeats: 3 },
};
type Sizes = (typeof SIZES)["usual"];

const COLUMNS: readonly Column[] = [
  { name: "CPU", unit: "% of a core", better: "less", digits: 2 },
  { name: "RSS", unit: "MB", better: "less", digits: 0 },
];

/** An operator whose objects are all as they should be, while nothing happens: leases, bookmarks and timers are what is left. */
export async function run(options: Options): Promise<Outcome> {
  const sizes = sized(options, SIZES);
  const { objects, seconds, repeats } = sizes;
  return arena(options, async (place) => {
    const rounds = await turns(place.sides, { repeats, missing: place.missing }, async (side, round) =>
      round < 0 ? { CPU: 0, RSS: 0 } : resting(place, side, sizes),
    );
    const rows = [...rounds].map(([side, figures]) => ({
      case: `${number(objects)} objects, ${seconds} s`,
      side,
      figures: spreads(figures),
    }));
    return { tables: [{ title: "Idle operator", columns: COLUMNS, rows }], missing: place.missing };
  });
}

async function resting(
  place: Arena,
  side: Side,
  { objects, rest, seconds }: Sizes,
): Promise<{ readonly CPU: number; readonly RSS: number }> {
  const all = crowd(place.client);
  const program = await place.operator(side);
  try {
    await all.grow(0, objects);
    await all.settled(objects);
    await program.quiet();
    // What the work left behind is collected up to half a minute later, once; that is not what waiting costs.
    await delay(rest * 1000);
    const used = program.cpu();
    await delay(seconds * 1000);
    return { CPU: (100 * (program.cpu() - used)) / seconds, RSS: program.memory().rssMb };
  } finally {
    await program.stop();
    await all.stop();
    await all.clear();
  }
}
