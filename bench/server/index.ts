import { type Options, type Outcome, sized } from "../frame/outcome.ts";
import { buildRealServer } from "../frame/real-server.ts";
import { build } from "./build.ts";
import { embedded, real } from "./contestant.ts";
import { creates, type Sides } from "./creates.ts";
import { generators } from "./generator.ts";
import { inProcess } from "./in-process.ts";
import { lists } from "./lists.ts";
import { memory } from "./memory.ts";
import { SIZES } from "./sizes.ts";
import { starts } from "./starts.ts";
import { watchers } from "./watchers.ts";

/** The embedded API server beside etcd and kube-apiserver, one load generator for both, in turns. */
export async function run(options: Options): Promise<Outcome> {
  const sizes = sized(options, SIZES);
  buildRealServer();
  await build();
  const load = await generators();
  const alone = [await starts(sizes), await inProcess(sizes)];
  const sides: Sides = [await embedded(), await real()].map((contestant) => ({ contestant, load: load.to(contestant.target) })) as never;
  try {
    return {
      tables: [...alone, await creates(sides, sizes), await lists(sides, sizes), await watchers(sides, sizes), await memory(sides, sizes)],
    };
  } finally {
    for (const { contestant, load } of sides) {
      load.stop();
      await contestant.stop();
    }
  }
}
