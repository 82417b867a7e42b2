import { setTimeout as delay } from "node:timers/promises";
import { ConfigMap, Pod } from "pintle/kinds/core/v1";
import { type Arena, arena } from "../frame/arena.ts";
import { atOnce } from "../frame/at-once.ts";
import { NAMESPACE } from "../frame/crowd.ts";
import type { Measured } from "../frame/measured.ts";
import { type Options, type Outcome, sized } from "../frame/outcome.ts";
import { fill } from "../frame/pods.ts";
import { holding, type Side } from "../frame/sides.ts";
import { number, spreads } from "../frame/spread.ts";
import { filled, seen } from "../frame/synced.ts";
import type { Column, Row } from "../frame/table.ts";
import { turns } from "../frame/turns.ts";
import { type Pipe, pipe } from "./pipe.ts";

const SIZES = {
  quick: { objects: 100, repeats: 1 },
  usual: { objects: 5_000, repeats: 2 },
  full: { objects: 50_000, repeats: 5 },
};
const COLUMNS: readonly Column[] = [
  { name: "until seen", unit: "ms", better: "less", digits: 0 },
  { name: "CPU", unit: "s", better: "less", digits: 2 },
  { name: "read", unit: "MB", better: "less", digits: 1 },
  { name: "RSS grew", unit: "MB", better: "less", digits: 0 },
];
const CASES = ["connections cut", "server restarted, watch expired"] as const;

interface Figures {
  readonly "until seen": number;
  readonly CPU: number;
  readonly read: number;
  readonly "RSS grew": number;
}

/**
 * A cache of pods that loses its server. Once only its connections: it should go on from where it was. Once the server goes and comes
 * back without the past: everything has to be listed again. A pod made right after says when the cache is up to date again.
 */
export async function run(options: Options): Promise<Outcome> {
  const { objects, repeats } = sized(options, SIZES);
  return arena(options, async (place) => {
    await fill(place.client, "pods", 0, objects);
    const counter = { markers: 0 };
    const able = place.sides.filter((side) => side.cache("pods", false) !== undefined);
    const sides = holding(able, objects, place.missing);
    const rounds = await turns(sides, { repeats, missing: place.missing }, (side, round) =>
      round < 0 ? Promise.resolve([]) : lost(place, side, objects, counter),
    );
    const rows: Row[] = CASES.flatMap((name, i) =>
      [...rounds].map(([side, all]) => ({ case: name, side, figures: spreads(all.map((each) => each[i]!)) })),
    );
    const note = `${number(objects)} pods. From the cut, or from the server being ready again, until a pod made then is seen; read: bytes that came from the server until then.`;
    return { tables: [{ title: "Reconnect and relist", columns: COLUMNS, rows, note }], missing: place.missing };
  });
}

async function lost(place: Arena, side: Side, objects: number, counter: { markers: number }): Promise<readonly Figures[]> {
  const way = await pipe(place.plane.kubeconfig, place.plane.server);
  const program = place.cache(side, "pods", false, way.kubeconfig)!;
  try {
    await filled(program, objects);
    await program.quiet();
    const cut = await until(place, program, way, counter, async () => way.cut());
    await program.quiet();
    const expired = await until(place, program, way, counter, () => restarted(place));
    return [cut, expired];
  } finally {
    await program.stop();
    await way.close();
  }
}

async function until(
  place: Arena,
  program: Measured,
  way: Pipe,
  counter: { markers: number },
  harm: () => Promise<void>,
): Promise<Figures> {
  const before = { cpu: program.cpu(), rss: program.memory().rssMb, read: way.read() };
  program.forgetPeak();
  await harm();
  const since = performance.timeOrigin + performance.now();
  const name = `marker-${++counter.markers}`;
  const spec = { containers: [{ name: "web", image: "web:1" }] };
  const made = eventually(() => place.client.create(Pod, { metadata: { name, namespace: NAMESPACE }, spec }));
  const at = await seen(program, name);
  await made;
  await program.quiet();
  const { peakMb } = program.memory();
  await place.client.delete(Pod, { name, namespace: NAMESPACE }, { gracePeriodSeconds: 0 });
  return {
    "until seen": at - since,
    CPU: program.cpu() - before.cpu,
    read: (way.read() - before.read) / 2 ** 20,
    "RSS grew": Math.max(0, peakMb - before.rss),
  };
}

/** Writes of another kind make the server's revision pass what a watch of pods has heard of: after the restart that is too old. */
async function restarted({ plane, client }: Arena): Promise<void> {
  const names = Array.from({ length: 20 }, (_, i) => `past-${i}`);
  await atOnce(names.length, 4, (i) => client.create(ConfigMap, { metadata: { name: names[i]!, namespace: NAMESPACE } }));
  await atOnce(names.length, 4, (i) => client.delete(ConfigMap, { name: names[i]!, namespace: NAMESPACE }));
  await plane.killServer();
  await plane.startServer();
}

/** A server that has just come back may refuse somebody once. */
async function eventually(ask: () => Promise<unknown>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await ask();
      return;
    } catch (error) {
      if (attempt === 20) throw error;
      await delay(100);
    }
  }
}
