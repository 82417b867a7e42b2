import { startChild } from "../harness/process/child-program.ts";
import { computeSpreads } from "../harness/results/spread.ts";
import type { Table } from "../harness/results/table.ts";
import type { SampleName } from "./sample-objects.ts";
import type { ServerSizes } from "./sizes.ts";

export interface InProcessCase {
  readonly kind: SampleName;
  /** `transport`: requests to the in-process transport; `client`: pintle's client on that transport. */
  readonly through: "transport" | "client";
  readonly concurrency: number;
  readonly rounds: readonly InProcessRound[];
}
export interface InProcessRound {
  readonly creates: number;
  readonly CPU: number;
}

/** Measures creates through the in-process transport: the same pipeline without bytes and connections. */
export async function measureInProcess({ rounds, inProcessObjects: objects }: ServerSizes): Promise<Table> {
  const program = startChild(new URL("in-process-creates.ts", import.meta.url), [String(rounds), String(objects)]);
  const cases = await program.receive<readonly InProcessCase[]>();
  await program.stop();
  return {
    title: "Creates in process",
    columns: [
      { name: "creates", unit: "/s", better: "higher", digits: 0 },
      { name: "CPU", unit: "µs each", better: "lower", digits: 0 },
    ],
    rows: cases.map(({ kind, through, concurrency, rounds: figures }) => ({
      case: `${kind}, ${through}, ${concurrency} concurrent`,
      side: "pintle",
      figures: computeSpreads(figures),
    })),
  };
}
