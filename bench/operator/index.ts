import { type Arena, arena } from "../frame/arena.ts";
import { type Crowd, crowd } from "../frame/crowd.ts";
import { type Options, type Outcome, sized } from "../frame/outcome.ts";
import type { Side } from "../frame/sides.ts";
import { spreads } from "../frame/spread.ts";
import type { Row, Table } from "../frame/table.ts";
import { turns } from "../frame/turns.ts";

const SIZES = {
  quick: [{ objects: 30, repeats: 1 }],
  usual: [
    { objects: 100, repeats: 3 },
    { objects: 1_000, repeats: 3 },
  ],
  full: [
    { objects: 100, repeats: 7 },
    { objects: 1_000, repeats: 7 },
    { objects: 5_000, repeats: 3 },
  ],
};

/** From nothing to so many objects with a Deployment and a status: the same operator in every language. */
export async function run(options: Options): Promise<Outcome> {
  return arena(options, async (place) => {
    const { sides, missing } = place;
    const rows: Row[] = [];
    for (const { objects, repeats } of sized(options, SIZES)) {
      const rounds = await turns(sides, { repeats, missing }, (side, round) => converged(place, side, round < 0 ? 20 : objects));
      for (const [side, figures] of rounds) rows.push({ case: `${objects} objects`, side, figures: spreads(figures) });
    }
    return { tables: [table(rows)], missing };
  });
}

function table(rows: readonly Row[]): Table {
  return {
    title: "Operator convergence",
    columns: [
      { name: "converged", unit: "s", better: "less", digits: 2 },
      { name: "CPU", unit: "s", better: "less", digits: 2 },
      { name: "CPU with start", unit: "s", better: "less", digits: 2 },
      { name: "peak RSS", unit: "MB", better: "less", digits: 0 },
    ],
    rows,
    note: "From the first create, with the operator idle, until every object has its status; the same kube-apiserver and etcd for all.",
  };
}

interface Figures {
  readonly converged: number;
  readonly CPU: number;
  readonly "CPU with start": number;
  readonly "peak RSS": number;
}

async function converged({ client, operator }: Arena, side: Side, objects: number): Promise<Figures> {
  const all: Crowd = crowd(client);
  const program = await operator(side);
  try {
    await all.create("first");
    await all.settled(1);
    await program.quiet();
    const idle = program.cpu();
    const started = performance.now();
    await all.grow(0, objects);
    await all.settled(objects + 1);
    const seconds = (performance.now() - started) / 1000;
    await program.quiet();
    const cpu = program.cpu();
    return { converged: seconds, CPU: cpu - idle, "CPU with start": cpu, "peak RSS": program.memory().peakMb };
  } finally {
    await program.stop();
    await all.stop();
    await all.clear();
  }
}
