import { build } from "../server/build.ts";
import { embedded } from "../server/contestant.ts";
import { fresh } from "../server/creates.ts";
import { generators } from "../server/generator.ts";
import { samples } from "../server/objects.ts";

/** The embedded API server under creates of pods over TLS. */
export async function server(count: number, flags: readonly string[]): Promise<void> {
  await build();
  const load = await generators();
  const contestant = await embedded(flags);
  const generator = load.to(contestant.target);
  const { path, object } = samples.Pod;
  await generator.create({ protocol: "h2", path, body: JSON.stringify(object), first: fresh(), concurrency: 32, count });
  generator.stop();
  await contestant.stop();
}
