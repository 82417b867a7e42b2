import { type Arena, arena } from "../frame/arena.ts";
import { type Options, type Outcome, sized } from "../frame/outcome.ts";
import { fill, wireSize } from "../frame/pods.ts";
import { holding, type Side } from "../frame/sides.ts";
import { number, spreads } from "../frame/spread.ts";
import { filled } from "../frame/synced.ts";
import type { Column, Row } from "../frame/table.ts";
import { turns } from "../frame/turns.ts";

interface Sizes {
  readonly kinds: readonly ("pods" | "workers")[];
  readonly sizes: readonly { readonly objects: number; readonly repeats: number }[];
}
const SIZES: { readonly quick: Sizes; readonly usual: Sizes; readonly full: Sizes } = {
  quick: { kinds: ["pods", "workers"], sizes: [{ objects: 100, repeats: 1 }] },
  usual: {
    kinds: ["pods"],
    sizes: [
      { objects: 1_000, repeats: 3 },
      { objects: 10_000, repeats: 3 },
    ],
  },
  full: {
    kinds: ["pods", "workers"],
    sizes: [
      { objects: 1_000, repeats: 5 },
      { objects: 10_000, repeats: 5 },
      { objects: 50_000, repeats: 3 },
    ],
  },
};
const COLUMNS: readonly Column[] = [
  { name: "sync", unit: "ms", better: "less", digits: 0 },
  { name: "heap", unit: "KB each", better: "less", digits: 1 },
  { name: "CPU", unit: "s", better: "less", digits: 2 },
  { name: "peak RSS", unit: "MB", better: "less", digits: 0 },
];

interface Figures {
  readonly sync: number;
  readonly heap: number;
  readonly CPU: number;
  readonly "peak RSS": number;
}

/** A cache of everything there is of one kind, whole and metadata only: how long until it has it, and what it holds. */
export async function run(options: Options): Promise<Outcome> {
  const { kinds, sizes } = sized(options, SIZES);
  return arena(options, async (place) => {
    const rows: Row[] = [];
    const notes: string[] = [];
    for (const of of kinds) {
      let there = 0;
      for (const { objects, repeats } of sizes) {
        await fill(place.client, of, there, objects);
        there = objects;
        for (const metadataOnly of [false, true]) {
          const able = place.caches.filter((side) => side.cache(of, metadataOnly) !== undefined);
          const sides = holding(able, objects, place.missing);
          const rounds = await turns(sides, { repeats, missing: place.missing }, (side) => synced(place, side, of, metadataOnly, objects));
          const name = `${number(objects)} ${of}${metadataOnly ? ", metadata only" : ""}`;
          for (const [side, figures] of rounds) rows.push({ case: name, side, figures: spreads(figures) });
        }
      }
      notes.push(`${of}: ${((await wireSize(place.client, of)) / 1024).toFixed(1)} KB of JSON each.`);
    }
    const note = `${notes.join(" ")} Heap: what is in use after collection; of kopf, growth of the resident memory. kopf and client-node have no metadata-only watches.`;
    return { tables: [{ title: "Cache sync and memory", columns: COLUMNS, rows, note }], missing: place.missing };
  });
}

async function synced(place: Arena, side: Side, of: "pods" | "workers", metadataOnly: boolean, objects: number): Promise<Figures> {
  const program = place.cache(side, of, metadataOnly)!;
  try {
    const said = await filled(program, objects);
    return {
      sync: said.milliseconds,
      heap: said.heapBytes / 1024 / objects,
      CPU: program.cpu(),
      "peak RSS": program.memory().peakMb,
    };
  } finally {
    await program.stop();
  }
}
