import { number, spreads } from "../frame/spread.ts";
import type { Row, Table } from "../frame/table.ts";
import { ask } from "./ask.ts";
import { fresh, type Side, type Sides } from "./creates.ts";
import { samples } from "./objects.ts";
import type { Sizes } from "./sizes.ts";

const JSON_TYPE = "application/json";
const as = (kind: string) => `${JSON_TYPE};as=${kind};g=meta.k8s.io;v=v1,${JSON_TYPE}`;
const FORMS: readonly { readonly list: string; readonly accept: string; readonly query?: string; readonly gzip?: true }[] = [
  { list: "JSON", accept: JSON_TYPE },
  { list: "JSON, gzip", accept: JSON_TYPE, gzip: true },
  { list: "protobuf if it can be had", accept: `application/vnd.kubernetes.protobuf,${JSON_TYPE}` },
  { list: "protobuf if it can be had, gzip", accept: `application/vnd.kubernetes.protobuf,${JSON_TYPE}`, gzip: true },
  { list: "Table, gzip (kubectl get)", accept: as("Table"), gzip: true },
  { list: "PartialObjectMetadataList", accept: as("PartialObjectMetadataList") },
  { list: "label selector, 1 of 10", accept: JSON_TYPE, query: "?labelSelector=tenth%3D3" },
  { list: "in chunks of 500", accept: JSON_TYPE, query: "?limit=500" },
];

/** Pods read whole, in every form clients ask for. */
export async function lists(sides: Sides, { rounds, listed: objects }: Sizes): Promise<Table> {
  for (const side of sides) await fill(side, objects);
  const rows: Row[] = [];
  for (const { list, accept, query = "", gzip = false } of FORMS) {
    const figures: { time: number; size: number }[][] = [[], []];
    for (let round = -1; round < rounds; round++) {
      for (const [side, { load }] of sides.entries()) {
        const listed = await load.list({ protocol: "h2", path: `${samples.Pod.path}${query}`, accept, gzip, times: 1 });
        if (round >= 0) figures[side]!.push({ time: listed.Milliseconds[0]!, size: listed.Bytes / 2 ** 20 });
      }
    }
    for (const [side, { contestant }] of sides.entries())
      rows.push({ case: list, side: contestant.name, figures: spreads(figures[side]!) });
  }
  for (const { contestant } of sides) await ask(contestant.transport, "DELETE", samples.Pod.path);
  return {
    title: `Lists of ${number(objects)} pods`,
    columns: [
      { name: "time", unit: "ms", better: "less", digits: 0 },
      { name: "size", unit: "MB on the wire", better: "less", digits: 1 },
    ],
    rows,
  };
}

/** Exactly so many, in ten equal parts by label. */
async function fill({ contestant, load }: Side, objects: number): Promise<void> {
  const { path, object } = samples.Pod;
  await ask(contestant.transport, "DELETE", path);
  for (let tenth = 0; tenth < 10; tenth++) {
    const metadata = { ...object.metadata, labels: { ...object.metadata.labels, tenth: String(tenth) } };
    const body = JSON.stringify({ ...object, metadata });
    await load.create({ protocol: "h2", path, body, first: fresh(), concurrency: 32, count: objects / 10 });
  }
}
