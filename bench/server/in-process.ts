import { spreads } from "../frame/spread.ts";
import type { Table } from "../frame/table.ts";
import { child } from "./child.ts";
import type { SampleName } from "./objects.ts";
import type { Sizes } from "./sizes.ts";

export interface Cell {
  readonly kind: SampleName;
  /** `transport`: requests straight into the cluster; `client`: the verbs of pintle's client over it. */
  readonly through: "transport" | "client";
  readonly concurrency: number;
  readonly rounds: readonly Round[];
}
export interface Round {
  readonly creates: number;
  readonly CPU: number;
}

/** Creates without bytes: the same pipeline, from the same process. */
export async function inProcess({ rounds, inProcess: objects }: Sizes): Promise<Table> {
  const process = child("in-process-load.ts", [String(rounds), String(objects)]);
  const cells = await process.message<readonly Cell[]>();
  await process.stop();
  return {
    title: "Creates in process",
    columns: [
      { name: "creates", unit: "/s", better: "more", digits: 0 },
      { name: "CPU", unit: "µs each", better: "less", digits: 0 },
    ],
    rows: cells.map(({ kind, through, concurrency, rounds: figures }) => ({
      case: `${kind}, ${through}, ${concurrency} at once`,
      side: "pintle",
      figures: spreads(figures),
    })),
  };
}
