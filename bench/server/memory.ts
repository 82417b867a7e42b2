import { ask } from "./ask.ts";
import { child } from "./child.ts";
import { fresh, type Sides } from "./creates.ts";
import { type SampleName, samples } from "./objects.ts";
import { number } from "./statistics.ts";

/** Kilobytes per stored object. */
export interface Memory {
  readonly kind: SampleName;
  readonly objects: number;
  /** As JSON. */
  readonly json: number;
  /** Live heap of an embedded cluster, after collection of garbage. */
  readonly pintleHeap: number;
  /** Growth of the resident memory of the processes, as it stands after the writes. */
  readonly pintleRss: number;
  readonly realRss: number;
}

const OBJECTS = 5_000;

/** How much memory a stored object holds. */
export async function memory(sides: Sides): Promise<readonly Memory[]> {
  const results: Memory[] = [];
  for (const kind of ["ConfigMap", "Pod"] as const) {
    const heap = child("heap.ts", [kind, String(OBJECTS)]);
    const { json, live } = await heap.message<{ readonly json: number; readonly live: number }>();
    await heap.stop();
    const { path, object } = samples[kind];
    const grown: number[] = [];
    for (const { contestant, load } of sides) {
      const before = contestant.rssMb();
      await load.create({ protocol: "h2", path, body: JSON.stringify(object), first: fresh(), concurrency: 32, count: OBJECTS });
      grown.push(((contestant.rssMb() - before) * 1024) / OBJECTS);
      await ask(contestant.transport, "DELETE", path);
    }
    results.push({ kind, objects: OBJECTS, json, pintleHeap: live, pintleRss: grown[0]!, realRss: grown[1]! });
  }
  console.table(
    results.map((one) => ({
      "memory per object": `${one.kind}, ${number(one.json, 1)} KB of JSON`,
      "pintle, live heap KB": number(one.pintleHeap, 1),
      "pintle, RSS KB": number(one.pintleRss, 1),
      "etcd + kube-apiserver, RSS KB": number(one.realRss, 1),
    })),
  );
  return results;
}
