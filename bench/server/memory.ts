import { spread } from "../frame/spread.ts";
import type { Row, Table } from "../frame/table.ts";
import { ask } from "./ask.ts";
import { child } from "./child.ts";
import { fresh, type Sides } from "./creates.ts";
import { samples } from "./objects.ts";
import type { Sizes } from "./sizes.ts";

/** How much memory a stored object holds: live heap after collection, and growth of the processes as they stand after the writes. */
export async function memory(sides: Sides, { stored: objects }: Sizes): Promise<Table> {
  const rows: Row[] = [];
  for (const kind of ["ConfigMap", "Pod"] as const) {
    const heap = child("heap.ts", [kind, String(objects)]);
    const { json, live } = await heap.message<{ readonly json: number; readonly live: number }>();
    await heap.stop();
    const { path, object } = samples[kind];
    for (const { contestant, load } of sides) {
      const before = contestant.rssMb();
      await load.create({ protocol: "h2", path, body: JSON.stringify(object), first: fresh(), concurrency: 32, count: objects });
      const resident = spread([((contestant.rssMb() - before) * 1024) / objects]);
      await ask(contestant.transport, "DELETE", path);
      const figures = contestant.name === "pintle" ? { heap: spread([live]), resident } : { resident };
      rows.push({ case: `${kind}, ${json.toFixed(1)} KB of JSON`, side: contestant.name, figures });
    }
  }
  return {
    title: `Memory per stored object, of ${objects}`,
    columns: [
      { name: "heap", unit: "KB", better: "less", digits: 1 },
      { name: "resident", unit: "KB", better: "less", digits: 1 },
    ],
    rows,
  };
}
