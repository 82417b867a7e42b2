import { startChild } from "../harness/process/child-program.ts";
import { computeSpread, formatNumber } from "../harness/results/spread.ts";
import type { Row, Table } from "../harness/results/table.ts";
import { reserveNumbers, type ServersUnderLoad } from "./creates.ts";
import { sampleObjects } from "./sample-objects.ts";
import { sendRequest } from "./send-request.ts";
import type { ServerSizes } from "./sizes.ts";

/** Measures the memory per stored object: live heap after garbage collection, and growth of the RSS. */
export async function measureMemory(servers: ServersUnderLoad, { storedObjects: objects }: ServerSizes): Promise<Table> {
  const rows: Row[] = [];
  for (const kind of ["ConfigMap", "Pod"] as const) {
    const heap = startChild(new URL("heap-process.ts", import.meta.url), [kind, String(objects)]);
    const { json, live } = await heap.receive<{ readonly json: number; readonly live: number }>();
    await heap.stop();
    const { path, object } = sampleObjects[kind];
    for (const { server, generator } of servers) {
      const before = server.rssMb();
      await generator.create({
        protocol: "h2",
        path,
        body: JSON.stringify(object),
        first: reserveNumbers(),
        concurrency: 32,
        count: objects,
      });
      const resident = computeSpread([((server.rssMb() - before) * 1024) / objects]);
      await sendRequest(server.transport, "DELETE", path);
      const figures = server.name === "pintle" ? { heap: computeSpread([live]), resident } : { resident };
      rows.push({ case: `${kind}, ${json.toFixed(1)} KB of JSON`, side: server.name, figures });
    }
  }
  return {
    title: `Memory per stored object (${formatNumber(objects)} objects)`,
    columns: [
      { name: "heap", unit: "KB", better: "lower", digits: 1 },
      { name: "resident", unit: "KB", better: "lower", digits: 1 },
    ],
    rows,
  };
}
