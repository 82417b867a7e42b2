import { type Arena, arena } from "../frame/arena.ts";
import { crowd } from "../frame/crowd.ts";
import { type Options, type Outcome, sized } from "../frame/outcome.ts";
import type { Side } from "../frame/sides.ts";
import { number, spreads } from "../frame/spread.ts";
import type { Column, Row } from "../frame/table.ts";
import { turns } from "../frame/turns.ts";

const SIZES = {
  quick: { crowds: [1], repeats: 1 },
  usual: { crowds: [1, 100], repeats: 5 },
  full: { crowds: [1, 100, 1_000], repeats: 11 },
};
const COLUMNS: readonly Column[] = [
  { name: "first", unit: "ms", better: "less", digits: 0 },
  { name: "all", unit: "ms", better: "less", digits: 0 },
  { name: "CPU", unit: "s", better: "less", digits: 2 },
  { name: "RSS", unit: "MB", better: "less", digits: 0 },
];

/** From the start of the process until the first object that waited for it has its status, and until all have. */
export async function run(options: Options): Promise<Outcome> {
  const { crowds, repeats } = sized(options, SIZES);
  return arena(options, async (place) => {
    const rows: Row[] = [];
    for (const objects of crowds) {
      const rounds = await turns(place.sides, { repeats, missing: place.missing }, (side) => started(place, side, objects));
      for (const [side, figures] of rounds) rows.push({ case: `${number(objects)} waiting`, side, figures: spreads(figures) });
    }
    const note = "Until the status is written: a start, a sync, one reconcile and two writes.";
    return { tables: [{ title: "Start to first reconcile", columns: COLUMNS, rows, note }], missing: place.missing };
  });
}

async function started(place: Arena, side: Side, objects: number) {
  const all = crowd(place.client);
  await all.grow(0, objects);
  const began = performance.now();
  const program = await place.operator(side);
  try {
    await all.settled(1);
    const first = performance.now() - began;
    await all.settled(objects);
    const last = performance.now() - began;
    return { first, all: last, CPU: program.cpu(), RSS: program.memory().rssMb };
  } finally {
    await program.stop();
    await all.stop();
    await all.clear();
  }
}
