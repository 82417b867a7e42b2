import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { collectOperatorTrace, writeTrace } from "@pintle/cluster/internal/trace";
import type { Fact } from "pintle";
import { isJsonObject, parseJson } from "pintle/internal/json";
import { FACTS_VERSION } from "pintle/internal/recorder";
import { type Command, CommandError, type Io } from "../../command/index.ts";
import { connectToCluster, type OperatorEndpoint, READ_OPTION_DESCRIPTIONS, READ_OPTIONS } from "../../target-cluster/index.ts";
import { toPrintable } from "./open-trace.ts";
import { openOperator, resolveOperator } from "./operator-target.ts";

const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000 };
const MAX_MS = 30 * 60_000;
/** The interval at which recorded facts are fetched, so that they are kept if the operator exits. */
const FETCH_INTERVAL_MS = 10_000;
const LAST_FETCH_MS = 15_000;

export const record: Command = {
  name: "record",
  summary:
    "Record a running operator into a trace file: its runs, plans, requests and logs, without secrets. Changes nothing in the cluster.",
  usage: "[--for DURATION] [-o FILE] [--history] [--namespace NAME] [--deployment NAME | --pod NAME | --url URL] [--context NAME]",
  options: {
    for: { type: "string" },
    output: { type: "string", short: "o" },
    history: { type: "boolean" },
    namespace: { type: "string", short: "n" },
    deployment: { type: "string" },
    pod: { type: "string" },
    port: { type: "string" },
    url: { type: "string" },
    "service-account": { type: "string" },
    ...READ_OPTIONS,
  },
  optionDescriptions: {
    for: "how long to record: 30s, 5m, at most 30m; Ctrl-C ends it earlier (default: 60s)",
    output: "the trace file (default: the operator's name and the time)",
    history: "include what the operator recorded before, as far as it is retained",
    namespace: "namespace of the operator (default: that of the project)",
    deployment: "Deployment of the operator, of which the leading pod is recorded (default: that of the project)",
    pod: "record this pod",
    port: "port of the pod's metrics endpoint (default: its port called metrics)",
    url: "record an operator on this machine, at the address of its metrics endpoint",
    "service-account":
      "ServiceAccount in the operator's namespace whose token, valid for ten minutes, is sent (default: the kubeconfig's token)",
    ...READ_OPTION_DESCRIPTIONS,
  },
  examples: [
    "pintle record --context prod --for 60s",
    "pintle record --for 5m -o slow.pintle-trace --history",
    "pintle record -n shop-system --deployment shop-controller-manager --service-account recorder",
    "pintle record --url https://127.0.0.1:8443 --for 10s",
  ],
  async run(args, io) {
    const values = args.values as Readonly<Record<string, string | undefined>>;
    const duration = parseDuration(values["for"] ?? "60s");
    const target = await resolveOperator(args, io);
    await using cluster = await connectToCluster(args, io);
    const { endpoint, name } = await openOperator(target, cluster, io);
    const recording = await recordEndpoint(endpoint, { duration, hasHistory: args.values["history"] === true, io });
    const stamp = new Date(recording.time).toISOString().replaceAll(/[-:]|\.\d+Z/g, "");
    const file = values["output"] ?? `${name}-${stamp}.pintle-trace`;
    await writeTrace(path.resolve(io.cwd, file), collectOperatorTrace(recording));
    const runs = recording.facts.filter(({ type, sequence }) => type === "run" && sequence > recording.since).length;
    io.out(`wrote ${file}: ${runs} runs\n  pintle trace show ${file}\n`);
  },
};

function parseDuration(text: string): number {
  const [, amount = "", unit = ""] = /^(\d{1,6})([sm])$/.exec(text) ?? [];
  const ms = Number(amount) * (UNIT_MS[unit] ?? Number.NaN);
  if (!(ms > 0 && ms <= MAX_MS))
    throw new CommandError("PINTLE7005", `invalid --for "${text}": must be a duration such as 30s or 5m, at most 30m`, 2);
  return ms;
}

/** The first line of a recording. */
interface RecordingHeader {
  readonly process: string;
  readonly sequence: number;
  readonly dropped: number;
  readonly time: number;
}

interface Recording {
  readonly facts: readonly Fact[];
  /** The sequence after which facts belong to it. */
  readonly since: number;
  readonly dropped: number;
  readonly time: number;
  readonly output: string;
}

async function recordEndpoint(
  endpoint: OperatorEndpoint,
  { duration, hasHistory, io }: { readonly duration: number; readonly hasHistory: boolean; readonly io: Io },
): Promise<Recording> {
  const start = await fetchRecording(endpoint, "end", io.signal);
  io.err(`recording ${endpoint.description} for ${duration / 1_000} s; Ctrl-C ends it, and keeps what was recorded\n`);
  const since = hasHistory ? 0 : start.header.sequence;
  /** The facts fetched so far; they are kept if the operator exits. */
  let kept = { ...start, facts: [] as readonly Fact[] };
  let lost = "";
  const ends = AbortSignal.any([io.signal, AbortSignal.timeout(duration)]);
  while (!ends.aborted) {
    await wait(FETCH_INTERVAL_MS, undefined, { signal: ends }).catch(() => {});
    if (ends.aborted) break;
    try {
      const more = await fetchRecording(endpoint, kept.header.sequence, ends);
      if (more.header.process !== start.header.process) break;
      kept = { header: more.header, facts: [...kept.facts, ...more.facts.filter((fact) => !isRunning(fact))] };
    } catch (error) {
      // The last fetch below reports whether the operator has exited.
      if (!ends.aborted) lost = (error as Error).message;
      break;
    }
  }
  try {
    // All of it again: what turned out to be secret meanwhile is replaced, and values that later passes read are older.
    const whole = await fetchRecording(endpoint, 0, AbortSignal.timeout(LAST_FETCH_MS));
    if (whole.header.process === start.header.process)
      return { facts: whole.facts, since, dropped: countLost(whole, since), time: whole.header.time, output: "" };
    lost = "the operator was started again";
  } catch (error) {
    lost = (error as Error).message;
  }
  const output = `the recording ends before it was asked to: ${lost}`;
  io.err(`${toPrintable(output)}\n`);
  return { facts: kept.facts, since, dropped: 1, time: kept.header.time, output: `${output}\n` };
}

const isRunning = (fact: Fact) => fact.type === "run" && fact.result === "running";

/** Facts after `since` that the operator's recorder had dropped before they were fetched. */
function countLost({ header, facts }: Awaited<ReturnType<typeof fetchRecording>>, since: number): number {
  const first = facts[0]?.sequence ?? header.sequence + 1;
  return Math.max(0, first - since - 1);
}

async function fetchRecording(
  endpoint: OperatorEndpoint,
  since: number | "end",
  signal: AbortSignal,
): Promise<{ readonly header: RecordingHeader; readonly facts: readonly Fact[] }> {
  const { status, body } = await endpoint.get(`/recording?since=${since}`, signal);
  const refuse = (what: string) => new CommandError("PINTLE7112", `${endpoint.description} ${what}`);
  if (status === 404) throw refuse("is not recorded: pass `recorder: createFlightRecorder()` to run()");
  if (status === 401)
    throw refuse("does not accept the token: the operator verifies it with a TokenReview, for which its manifests have the permission");
  if (status === 403) throw refuse("denies access: its user needs a ClusterRole with the verb get on the nonResourceURL /recording");
  if (status !== 200) throw refuse(`answers with HTTP ${status}`);
  const [first = "", ...lines] = body.split("\n");
  const header = parseLine(first);
  if (header?.["format"] !== "pintle-recording" || typeof header["sequence"] !== "number") throw refuse("does not serve a recording");
  if (header["version"] !== 1 || Number(header["facts"]) > FACTS_VERSION) throw refuse("is of a newer pintle: update this one");
  const facts = lines.filter(Boolean).map((line) => {
    const fact = parseLine(line);
    if (fact === undefined || typeof fact["type"] !== "string" || typeof fact["sequence"] !== "number")
      throw refuse("does not serve a recording");
    return fact as unknown as Fact;
  });
  return { header: header as unknown as RecordingHeader, facts };
}

function parseLine(line: string) {
  try {
    const value = parseJson(Buffer.from(line));
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
