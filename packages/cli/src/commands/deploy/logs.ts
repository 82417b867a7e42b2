import { NotFound } from "pintle/client";
import type { ObjectOf } from "pintle/kinds";
import { Deployment } from "pintle/kinds/apps/v1";
import { Pod } from "pintle/kinds/core/v1";
import { type Command, CommandError, type Io, type ParsedArguments } from "../../command/index.ts";
import { findProject } from "../../project/index.ts";
import { CLUSTER_OPTION_DESCRIPTIONS, CLUSTER_OPTIONS, connectToCluster, type TargetCluster } from "../../target-cluster/index.ts";

const { yes: _, ...READ_OPTIONS } = CLUSTER_OPTIONS;
const { yes: __, ...READ_OPTION_DESCRIPTIONS } = CLUSTER_OPTION_DESCRIPTIONS;
const UNIT_SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

export const logs: Command = {
  name: "logs",
  summary: "Print the logs of all replicas of the deployed operator.",
  usage: "[--follow] [--since DURATION] [--tail N] [--previous] [--context NAME] [--kubeconfig FILE]",
  options: {
    follow: { type: "boolean", short: "f" },
    since: { type: "string" },
    tail: { type: "string" },
    previous: { type: "boolean", short: "p" },
    ...READ_OPTIONS,
  },
  optionDescriptions: {
    follow: "stream the logs until Ctrl-C, including pods that start later",
    since: "only logs newer than a duration such as 30s, 5m, 2h or 1d",
    tail: "only the last N lines of each pod",
    previous: "logs of the previous instance of each container",
    ...READ_OPTION_DESCRIPTIONS,
  },
  examples: ["pintle logs", "pintle logs -f --since 5m", "pintle logs --previous --tail 50 --context prod"],
  async run(args, io) {
    const options = parseLogsOptions(args);
    const project = await findProject(io.cwd);
    await using cluster = await connectToCluster(args, io);
    const ref = { name: `${project.name}-controller-manager`, namespace: project.namespace };
    const found = await cluster.client.find(Deployment, ref, { signal: io.signal });
    if (found === undefined) {
      throw new CommandError(
        "PINTLE7060",
        `${project.name} is not deployed in namespace ${project.namespace} of ${cluster.description}. Deploy it with 'pintle deploy'`,
      );
    }
    const selection = { namespace: ref.namespace, labels: found.spec.selector.matchLabels ?? {} };
    if (options.follow) await followLogs(cluster, selection, options, io);
    else await printLogs(cluster, selection, options, io);
  },
};

interface LogsOptions {
  readonly follow: boolean;
  readonly previous: boolean;
  readonly sinceSeconds?: number | undefined;
  readonly tailLines?: number | undefined;
}
interface PodSelection {
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
}

export function parseLogsOptions({ values }: Pick<ParsedArguments, "values">): LogsOptions {
  const usageError = (what: string) => new CommandError("PINTLE7005", what, 2);
  const since = values["since"] as string | undefined;
  const [, amount, unit] = /^(\d+)([smhd])$/.exec(since ?? "1s") ?? [];
  if (unit === undefined) throw usageError(`invalid --since "${since}": must be a duration such as 30s, 5m, 2h or 1d`);
  const tail = values["tail"] === undefined ? undefined : Number(values["tail"]);
  if (tail !== undefined && !(Number.isInteger(tail) && tail >= 0))
    throw usageError(`invalid --tail "${values["tail"]}": must be a number of lines`);
  if (values["follow"] === true && values["previous"] === true) throw usageError("--previous and --follow are mutually exclusive");
  return {
    follow: values["follow"] === true,
    previous: values["previous"] === true,
    sinceSeconds: since === undefined ? undefined : Number(amount) * UNIT_SECONDS[unit]!,
    tailLines: tail,
  };
}

async function printLogs({ client, description }: TargetCluster, selection: PodSelection, options: LogsOptions, io: Io): Promise<void> {
  const { items } = await client.list(Pod, { ...selection, signal: io.signal });
  if (items.length === 0)
    throw new CommandError("PINTLE7061", `no pods found in namespace ${selection.namespace} of ${description}. See 'pintle status'`);
  let failedCount = 0;
  for (const pod of items) {
    const failed = await streamPodLogs(client, pod, items.length > 1, options, io);
    if (failed === undefined) continue;
    failedCount += 1;
    io.err(`${pod.metadata.name}: ${failed}\n`);
  }
  if (failedCount === items.length) throw new CommandError("PINTLE7061", "no pod has logs. See 'pintle status'");
}

/**
 * Streams the logs of every pod that the watch reports, including new pods and restarted containers. A watch that the server closes is
 * reopened.
 */
async function followLogs({ client }: TargetCluster, selection: PodSelection, options: LogsOptions, io: Io): Promise<void> {
  const streamed = new Set<string>();
  const streams: Promise<unknown>[] = [];
  while (!io.signal.aborted) {
    try {
      for await (const { type, object } of client.watch(Pod, { ...selection, signal: io.signal })) {
        if (type !== "ADDED" && type !== "MODIFIED") continue;
        const containerRun = `${object.metadata.uid} ${object.status.containerStatuses?.[0]?.restartCount ?? 0}`;
        if (streamed.has(containerRun) || !hasStarted(object)) continue;
        // --since and --tail apply only to the first container of a pod.
        const isRestart = [...streamed].some((each) => each.startsWith(object.metadata.uid));
        streamed.add(containerRun);
        streams.push(
          streamPodLogs(client, object, true, isRestart ? { ...options, tailLines: undefined, sinceSeconds: undefined } : options, io),
        );
      }
    } catch (error) {
      if (!io.signal.aborted) throw error;
    }
  }
  await Promise.all(streams);
}

const hasStarted = ({ status }: ObjectOf<typeof Pod>) =>
  status.containerStatuses?.some(({ state }) => state?.waiting === undefined) ?? false;

/** Prints whole lines, so that the output of two pods never mixes. Returns the error message if the logs cannot be read. */
async function streamPodLogs(
  client: TargetCluster["client"],
  pod: ObjectOf<typeof Pod>,
  withPrefix: boolean,
  options: LogsOptions,
  io: Io,
): Promise<string | undefined> {
  const { name, namespace } = pod.metadata;
  const prefix = withPrefix ? `${name} | ` : "";
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for await (const chunk of client.logs(Pod, { name, namespace }, { ...options, signal: io.signal })) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
      rest = lines.pop()!;
      for (const line of lines) io.out(`${prefix}${line}\n`);
    }
    if (rest !== "") io.out(`${prefix}${rest}\n`);
    return undefined;
  } catch (error) {
    if (io.signal.aborted) return undefined;
    return error instanceof NotFound ? "pod not found" : (error as Error).message;
  }
}
