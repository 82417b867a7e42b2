import type { HttpProtocol, LoadGenerator } from "../harness/load/load-generator.ts";
import { computeSpreads } from "../harness/results/spread.ts";
import type { Row, Table } from "../harness/results/table.ts";
import type { ApiServer } from "./api-server.ts";
import { CRD_PATH, type SampleName, sampleCrd, sampleObjects } from "./sample-objects.ts";
import { sendRequest } from "./send-request.ts";
import type { ServerSizes } from "./sizes.ts";

/** An API server and the load generator that sends requests to it. */
export interface ServerUnderLoad {
  readonly server: ApiServer;
  readonly generator: LoadGenerator;
}
export type ServersUnderLoad = readonly [pintle: ServerUnderLoad, real: ServerUnderLoad];

const CASES: readonly (readonly [SampleName, HttpProtocol])[] = [
  ["ConfigMap", "h2"],
  ["ConfigMap", "h1"],
  ["custom resource", "h2"],
  ["Deployment", "h2"],
  ["Pod", "h2"],
];

/** Measures creates per second over TLS. The servers are measured in turn in short rounds, so that other load on the machine affects both. */
export async function measureCreates(servers: ServersUnderLoad, sizes: ServerSizes): Promise<Table> {
  for (const { server } of servers) await installSampleCrd(server);
  const rows: Row[] = [];
  for (const [kind, protocol] of CASES) {
    for (const underLoad of servers) await createObjects(underLoad, kind, protocol, 32, { count: sizes.warmUp });
    for (const concurrency of [1, 32]) rows.push(...(await measureCase(servers, sizes, kind, protocol, concurrency)));
    for (const { server } of servers) await sendRequest(server.transport, "DELETE", sampleObjects[kind].path);
  }
  return {
    title: "Creates over TLS",
    columns: [
      { name: "creates", unit: "/s", better: "higher", digits: 0 },
      { name: "p99", unit: "ms", better: "lower", digits: 1 },
      { name: "server CPU", unit: "ms each", better: "lower", digits: 2 },
      { name: "generator CPU", unit: "cores", better: "lower", digits: 2 },
    ],
    rows,
  };
}

async function measureCase(
  servers: ServersUnderLoad,
  sizes: ServerSizes,
  kind: SampleName,
  protocol: HttpProtocol,
  concurrency: number,
): Promise<readonly Row[]> {
  const rounds: CreateFigures[][] = [[], []];
  for (let round = 0; round < sizes.rounds; round++) {
    for (const [side, underLoad] of servers.entries())
      rounds[side]!.push(await createObjects(underLoad, kind, protocol, concurrency, { seconds: sizes.seconds }));
  }
  const name = `${kind}, ${protocol === "h2" ? "HTTP/2" : "HTTP/1.1"}, ${concurrency} concurrent`;
  return servers.map(({ server }, side) => ({ case: name, side: server.name, figures: computeSpreads(rounds[side]!) }));
}

/** The figures of one server in one round. */
interface CreateFigures {
  readonly creates: number;
  readonly p99: number;
  readonly "server CPU": number;
  readonly "generator CPU": number;
}

async function createObjects(
  { server, generator }: ServerUnderLoad,
  kind: SampleName,
  protocol: HttpProtocol,
  concurrency: number,
  until: { readonly seconds: number } | { readonly count: number },
): Promise<CreateFigures> {
  const { path, object } = sampleObjects[kind];
  const cpuBefore = server.cpuSeconds();
  const report = await generator.create({ protocol, path, body: JSON.stringify(object), first: reserveNumbers(), concurrency, ...until });
  const serverCpu = ((server.cpuSeconds() - cpuBefore) * 1000) / report.Requests;
  const generatorCpu = report.Cpu / report.Seconds;
  return { creates: report.Requests / report.Seconds, p99: report.P99, "server CPU": serverCpu, "generator CPU": generatorCpu };
}

let lastReserved = 0;
/** Reserves a million numbers for object names; returns the first. */
export function reserveNumbers(): number {
  lastReserved += 1_000_000;
  return lastReserved;
}

async function installSampleCrd({ transport }: ApiServer): Promise<void> {
  await sendRequest(transport, "POST", CRD_PATH, sampleCrd);
  // The resource is served shortly after the CRD is accepted.
  while ((await sendRequest(transport, "GET", sampleObjects["custom resource"].path)) !== 200);
}
