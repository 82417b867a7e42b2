import { computeSpreads, formatNumber } from "../harness/results/spread.ts";
import type { Row, Table } from "../harness/results/table.ts";
import { reserveNumbers, type ServersUnderLoad, type ServerUnderLoad } from "./creates.ts";
import { sampleObjects } from "./sample-objects.ts";
import { sendRequest } from "./send-request.ts";
import type { ServerSizes } from "./sizes.ts";

const JSON_TYPE = "application/json";
const acceptAs = (kind: string) => `${JSON_TYPE};as=${kind};g=meta.k8s.io;v=v1,${JSON_TYPE}`;
const LIST_REQUESTS: readonly { readonly name: string; readonly accept: string; readonly query?: string; readonly gzip?: true }[] = [
  { name: "JSON", accept: JSON_TYPE },
  { name: "JSON, gzip", accept: JSON_TYPE, gzip: true },
  { name: "protobuf preferred", accept: `application/vnd.kubernetes.protobuf,${JSON_TYPE}` },
  { name: "protobuf preferred, gzip", accept: `application/vnd.kubernetes.protobuf,${JSON_TYPE}`, gzip: true },
  { name: "Table, gzip (kubectl get)", accept: acceptAs("Table"), gzip: true },
  { name: "PartialObjectMetadataList", accept: acceptAs("PartialObjectMetadataList") },
  { name: "label selector, 1 of 10", accept: JSON_TYPE, query: "?labelSelector=tenth%3D3" },
  { name: "in chunks of 500", accept: JSON_TYPE, query: "?limit=500" },
];

/** Measures lists of all pods in the formats that clients request. */
export async function measureLists(servers: ServersUnderLoad, { rounds, listedObjects: objects }: ServerSizes): Promise<Table> {
  for (const underLoad of servers) await createPods(underLoad, objects);
  const rows: Row[] = [];
  for (const { name, accept, query = "", gzip = false } of LIST_REQUESTS) {
    const figures: { time: number; size: number }[][] = [[], []];
    for (let round = -1; round < rounds; round++) {
      for (const [side, { generator }] of servers.entries()) {
        const report = await generator.list({ protocol: "h2", path: `${sampleObjects.Pod.path}${query}`, accept, gzip, times: 1 });
        if (round >= 0) figures[side]!.push({ time: report.Milliseconds[0]!, size: report.Bytes / 2 ** 20 });
      }
    }
    for (const [side, { server }] of servers.entries())
      rows.push({ case: name, side: server.name, figures: computeSpreads(figures[side]!) });
  }
  for (const { server } of servers) await sendRequest(server.transport, "DELETE", sampleObjects.Pod.path);
  return {
    title: `Lists of ${formatNumber(objects)} pods`,
    columns: [
      { name: "time", unit: "ms", better: "lower", digits: 0 },
      { name: "size", unit: "MB on the wire", better: "lower", digits: 1 },
    ],
    rows,
  };
}

/** Creates `objects` pods, a tenth of them with each value of the label `tenth`. */
async function createPods({ server, generator }: ServerUnderLoad, objects: number): Promise<void> {
  const { path, object } = sampleObjects.Pod;
  await sendRequest(server.transport, "DELETE", path);
  for (let tenth = 0; tenth < 10; tenth++) {
    const metadata = { ...object.metadata, labels: { ...object.metadata.labels, tenth: String(tenth) } };
    const body = JSON.stringify({ ...object, metadata });
    await generator.create({ protocol: "h2", path, body, first: reserveNumbers(), concurrency: 32, count: objects / 10 });
  }
}
