import { child } from "./child.ts";
import type { SampleName } from "./objects.ts";
import { type Spread, spread, spreadText } from "./statistics.ts";

export interface InProcess {
  readonly kind: SampleName;
  /** `transport`: requests straight into the cluster; `client`: the verbs of pintle's client over it. */
  readonly through: "transport" | "client";
  readonly concurrency: number;
  readonly perSecond: Spread;
  readonly cpuMicros: Spread;
}
export interface Cell extends Pick<InProcess, "kind" | "through" | "concurrency"> {
  readonly rounds: readonly Round[];
}
export interface Round {
  readonly perSecond: number;
  readonly cpuMicros: number;
}

/** Creates without bytes: the same pipeline, from the same process. */
export async function inProcess(): Promise<readonly InProcess[]> {
  const process = child("in-process-load.ts");
  const cells = await process.message<readonly Cell[]>();
  await process.stop();
  const results = cells.map(({ rounds, ...cell }) => ({
    ...cell,
    perSecond: spread(rounds.map((round) => round.perSecond)),
    cpuMicros: spread(rounds.map((round) => round.cpuMicros)),
  }));
  console.table(
    results.map((one) => ({
      "create in process": `${one.kind}, ${one.through}, ${one.concurrency} at once`,
      "/s": spreadText(one.perSecond),
      "CPU µs": spreadText(one.cpuMicros),
    })),
  );
  return results;
}
