import { ask } from "./ask.ts";
import type { ContestantName } from "./contestant.ts";
import { fresh, type Side, type Sides } from "./creates.ts";
import { samples } from "./objects.ts";
import { number, type Spread, spread, spreadText } from "./statistics.ts";

export interface Lists {
  readonly list: string;
  readonly milliseconds: Readonly<Record<ContestantName, Spread>>;
  /** Its time over ours, round by round: above 1 we are faster. */
  readonly ratio: Spread;
  readonly megabytes: Readonly<Record<ContestantName, number>>;
  readonly contentType: Readonly<Record<ContestantName, string>>;
}

const OBJECTS = 10_000;
const ROUNDS = 7;
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

/** 10,000 pods read whole, in every form clients ask for. */
export async function lists(sides: Sides): Promise<readonly Lists[]> {
  for (const side of sides) await fill(side);
  const results: Lists[] = [];
  for (const { list, accept, query = "", gzip = false } of FORMS) {
    const times: number[][] = [[], []];
    const bytes = [0, 0];
    const types = ["", ""];
    for (let round = -1; round < ROUNDS; round++) {
      for (const [side, { load }] of sides.entries()) {
        const listed = await load.list({ protocol: "h2", path: `${samples.Pod.path}${query}`, accept, gzip, times: 1 });
        if (round >= 0) times[side]!.push(...listed.Milliseconds);
        bytes[side] = listed.Bytes / 2 ** 20;
        types[side] = listed.ContentType;
      }
    }
    const figure = <T>(of: (side: number) => T) => ({ pintle: of(0), "kube-apiserver": of(1) });
    results.push({
      list,
      milliseconds: figure((side) => spread(times[side]!)),
      ratio: spread(times[0]!.map((ours, round) => times[1]![round]! / ours)),
      megabytes: figure((side) => bytes[side]!),
      contentType: figure((side) => types[side]!),
    });
  }
  for (const { contestant } of sides) await ask(contestant.transport, "DELETE", samples.Pod.path);
  console.table(
    results.map((one) => ({
      "list of 10,000 pods": one.list,
      "pintle ms": spreadText(one.milliseconds.pintle),
      "kube-apiserver ms": spreadText(one.milliseconds["kube-apiserver"]),
      "its / ours": spreadText(one.ratio, 1),
      "MB on the wire": `${number(one.megabytes.pintle, 1)} / ${number(one.megabytes["kube-apiserver"], 1)}`,
    })),
  );
  return results;
}

/** Exactly so many, in ten equal parts by label. */
async function fill({ contestant, load }: Side): Promise<void> {
  const { path, object } = samples.Pod;
  await ask(contestant.transport, "DELETE", path);
  for (let tenth = 0; tenth < 10; tenth++) {
    const metadata = { ...object.metadata, labels: { ...object.metadata.labels, tenth: String(tenth) } };
    const body = JSON.stringify({ ...object, metadata });
    await load.create({ protocol: "h2", path, body, first: fresh(), concurrency: 32, count: OBJECTS / 10 });
  }
}
