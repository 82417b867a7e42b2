import { NotFound } from "pintle/client";
import type { ReadOf } from "pintle/kinds";
import { Deployment } from "pintle/kinds/apps/v1";
import { Pod } from "pintle/kinds/core/v1";
import { type Arguments, type Command, CommandError, type Io } from "../command.ts";
import { findProject } from "../project/index.ts";
import { REACH_ABOUT, REACH_OPTIONS, type Reach, reach } from "../reach/index.ts";

const { yes: _, ...WHERE } = REACH_OPTIONS;
const { yes: __, ...WHERE_ABOUT } = REACH_ABOUT;
const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

export const logs: Command = {
  name: "logs",
  summary: "Show what the deployed operator says, all of its replicas.",
  usage: "[--follow] [--since DURATION] [--tail N] [--previous] [--context NAME] [--kubeconfig FILE]",
  options: {
    follow: { type: "boolean", short: "f" },
    since: { type: "string" },
    tail: { type: "string" },
    previous: { type: "boolean", short: "p" },
    ...WHERE,
  },
  about: {
    follow: "go on as more is said, also by pods that come later, until Ctrl-C",
    since: "only what was said in the last 30s, 5m, 2h, 1d",
    tail: "only the last N lines of each pod",
    previous: "of each container's run before this one: what it said before it ended",
    ...WHERE_ABOUT,
  },
  examples: ["pintle logs", "pintle logs -f --since 5m", "pintle logs --previous --tail 50 --context prod"],
  async run(args, io) {
    const options = logOptions(args);
    const project = await findProject(io.cwd);
    await using cluster = await reach(args, io);
    const ref = { name: `${project.name}-controller-manager`, namespace: project.namespace };
    const found = await cluster.client.find(Deployment, ref, { signal: io.signal });
    if (found === undefined) {
      throw new CommandError(
        `pintle logs: ${project.name} is not deployed in ${project.namespace} of ${cluster.where}. Deploy it with: pintle deploy`,
      );
    }
    const selection = { namespace: ref.namespace, labels: found.spec.selector.matchLabels ?? {} };
    if (options.follow) await follow(cluster, selection, options, io);
    else await once(cluster, selection, options, io);
  },
};

interface Options {
  readonly follow: boolean;
  readonly previous: boolean;
  readonly sinceSeconds?: number | undefined;
  readonly tailLines?: number | undefined;
}
interface Selection {
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
}

export function logOptions({ values }: Pick<Arguments, "values">): Options {
  const wrong = (what: string) => new CommandError(`pintle logs: ${what}`, 2);
  const since = values["since"] as string | undefined;
  const [, amount, unit] = /^(\d+)([smhd])$/.exec(since ?? "1s") ?? [];
  if (unit === undefined) throw wrong(`--since ${since} is no duration such as 30s, 5m, 2h or 1d`);
  const tail = values["tail"] === undefined ? undefined : Number(values["tail"]);
  if (tail !== undefined && !(Number.isInteger(tail) && tail >= 0)) throw wrong(`--tail ${values["tail"]} is no number of lines`);
  if (values["follow"] === true && values["previous"] === true) throw wrong("--previous is over: it cannot be followed");
  return {
    follow: values["follow"] === true,
    previous: values["previous"] === true,
    sinceSeconds: since === undefined ? undefined : Number(amount) * SECONDS[unit]!,
    tailLines: tail,
  };
}

async function once({ client, where }: Reach, selection: Selection, options: Options, io: Io): Promise<void> {
  const { items } = await client.list(Pod, { ...selection, signal: io.signal });
  if (items.length === 0)
    throw new CommandError(`pintle logs: there are no pods in ${selection.namespace} of ${where}. Why: pintle status`);
  let silent = 0;
  for (const pod of items) {
    const failed = await stream(client, pod, items.length > 1, options, io);
    if (failed === undefined) continue;
    silent += 1;
    io.err(`${pod.metadata.name}: ${failed}\n`);
  }
  if (silent === items.length) throw new CommandError("pintle logs: no pod has a log to show. Why: pintle status");
}

/** Pods that come while we look are shown, too, and so are containers that start again; a watch that the server ends is begun again. */
async function follow({ client }: Reach, selection: Selection, options: Options, io: Io): Promise<void> {
  const shown = new Set<string>();
  const streams: Promise<unknown>[] = [];
  while (!io.signal.aborted) {
    try {
      for await (const { type, object } of client.watch(Pod, { ...selection, signal: io.signal })) {
        if (type !== "ADDED" && type !== "MODIFIED") continue;
        const run = `${object.metadata.uid} ${object.status.containerStatuses?.[0]?.restartCount ?? 0}`;
        if (shown.has(run) || !hasStarted(object)) continue;
        // How far to look back was meant for what is there now.
        const isAgain = [...shown].some((each) => each.startsWith(object.metadata.uid));
        shown.add(run);
        streams.push(stream(client, object, true, isAgain ? { ...options, tailLines: undefined, sinceSeconds: undefined } : options, io));
      }
    } catch (error) {
      if (!io.signal.aborted) throw error;
    }
  }
  await Promise.all(streams);
}

const hasStarted = ({ status }: ReadOf<typeof Pod>) => status.containerStatuses?.some(({ state }) => state?.waiting === undefined) ?? false;

/** Whole lines, so that two pods never share one; gives back why there was nothing. */
async function stream(
  client: Reach["client"],
  pod: ReadOf<typeof Pod>,
  prefixed: boolean,
  options: Options,
  io: Io,
): Promise<string | undefined> {
  const { name, namespace } = pod.metadata;
  const prefix = prefixed ? `${name} | ` : "";
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
    return error instanceof NotFound ? "is gone" : (error as Error).message;
  }
}
