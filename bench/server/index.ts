import { loadavg } from "node:os";
import { build } from "./build.ts";
import { embedded, real } from "./contestant.ts";
import { type Creates, creates, type Sides } from "./creates.ts";
import { generators } from "./generator.ts";
import { type InProcess, inProcess } from "./in-process.ts";
import { type Lists, lists } from "./lists.ts";
import { type Memory, memory } from "./memory.ts";
import { type Starts, starts } from "./starts.ts";
import { type Watching, watchers } from "./watchers.ts";

export interface ServerBench {
  readonly starts: Starts;
  readonly inProcess: readonly InProcess[];
  readonly creates: readonly Creates[];
  readonly lists: readonly Lists[];
  readonly watchers: readonly Watching[];
  readonly memory: readonly Memory[];
  /** Of the machine, before and after: figures taken on a busy one are worth little on their own. */
  readonly loadAverage: readonly [before: number, after: number];
}

/** The embedded API server beside etcd and kube-apiserver, one load generator for both, in turns. */
export async function run(): Promise<ServerBench> {
  const before = loadavg()[0]!;
  await build();
  const started = await starts();
  const within = await inProcess();
  const built = await generators();
  const sides: Sides = [await embedded(), await real()].map((contestant) => ({ contestant, load: built.to(contestant.target) })) as never;
  try {
    const over = { creates: await creates(sides), lists: await lists(sides), watchers: await watchers(sides), memory: await memory(sides) };
    const result = { starts: started, inProcess: within, ...over, loadAverage: [before, loadavg()[0]!] as const };
    console.log(`load average of the machine: ${result.loadAverage.map((each) => each.toFixed(1)).join(" before, ")} after`);
    return result;
  } finally {
    for (const { contestant, load } of sides) {
      load.stop();
      await contestant.stop();
    }
    await built.remove();
  }
}
