import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { buildPeers } from "../../peers/build-peers.ts";

/** The server to send requests to, and the client certificate; PEM. */
export interface LoadTarget {
  readonly server: string;
  readonly authority: string;
  readonly certificate: string;
  readonly key: string;
}

/** client-go and kubectl use HTTP/2, most other clients HTTP/1.1. */
export type HttpProtocol = "h1" | "h2";

/** Latencies in milliseconds; `Cpu` is the CPU time of the generator in seconds. */
export interface CreateReport {
  readonly Requests: number;
  readonly Seconds: number;
  readonly P50: number;
  readonly P99: number;
  readonly Max: number;
  readonly Cpu: number;
}
export interface WatchReport extends Omit<CreateReport, "Requests"> {
  readonly Writes: number;
  readonly LagP50: number;
  readonly LagP99: number;
  readonly Events: number;
  /** Watchers that missed an event or received events out of order. */
  readonly Incorrect: number;
  /** The error of the first of them. */
  readonly FirstError: string;
  /** Seconds from the last response until the last watcher had every event. */
  readonly DrainSeconds: number;
}
export interface ListReport {
  readonly Milliseconds: readonly number[];
  readonly Bytes: number;
  readonly ContentType: string;
  readonly Cpu: number;
}

interface WriteJob {
  readonly protocol: HttpProtocol;
  readonly path: string;
  /** JSON in which every #### is replaced by a number that is used once. */
  readonly body: string;
  /** The first of the numbers. */
  readonly first: number;
}
interface WatchJob extends WriteJob {
  readonly seconds: number;
  readonly rate: number;
  readonly watchers: number;
  readonly connections: number;
}
export interface LoadGenerator {
  /** Sends admission reviews to a webhook: with rate 0, `concurrency` at a time; otherwise at that rate per second. */
  review(job: WriteJob & { readonly concurrency: number; readonly seconds: number; readonly rate: number }): Promise<CreateReport>;
  /** Creates objects, for a time or up to a count. */
  create(
    job: WriteJob & { readonly concurrency: number } & ({ readonly seconds: number } | { readonly count: number }),
  ): Promise<CreateReport>;
  watch(job: WatchJob): Promise<WatchReport>;
  list(job: {
    readonly protocol: HttpProtocol;
    readonly path: string;
    readonly accept: string;
    readonly gzip: boolean;
    readonly times: number;
  }): Promise<ListReport>;
  stop(): void;
}

/** Builds the load generator of bench/peers/load; returns a function that starts one. */
export async function prepareLoadGenerator(): Promise<(target: LoadTarget) => LoadGenerator> {
  const { commands, missing } = await buildPeers(["load"]);
  const [binary] = commands.get("load") ?? [];
  if (binary === undefined) throw new Error(`The load generator ${missing["load"]}`);
  return (target) => startGenerator(binary, target);
}

function startGenerator(binary: string, target: LoadTarget): LoadGenerator {
  const child = spawn(binary, [], { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const send = (message: object) => child.stdin.write(`${JSON.stringify(message)}\n`);
  send(target);
  const runJob = async (operation: "review" | "create" | "watch" | "list", job: object) => {
    send({ operation, ...job });
    const { value, done } = await lines.next();
    if (done) throw new Error("The load generator exited");
    const report = JSON.parse(value as string) as { readonly error?: string };
    if (report.error !== undefined) throw new Error(`Load generator: ${report.error}`);
    return report as unknown;
  };
  return {
    review: (job) => runJob("review", job) as Promise<CreateReport>,
    create: (job) => runJob("create", job) as Promise<CreateReport>,
    watch: (job) => runJob("watch", job) as Promise<WatchReport>,
    list: (job) => runJob("list", job) as Promise<ListReport>,
    stop: () => void child.stdin.end(),
  };
}
