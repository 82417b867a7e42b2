import type { Pod } from "pintle/kinds/core/v1";
import { quantity } from "pintle/merge";
import type { Clock } from "pintle/queue";
import { ApiError } from "../../status/index.ts";
import type { ContainerRef, NodeStreams, Session, SessionEnd, Usage } from "../streams.ts";
import { bytePipe } from "./byte-pipe.ts";
import { isRunning, logOf } from "./log.ts";
import { pageConnection } from "./page.ts";
import { run, type Surroundings } from "./programs.ts";

/** The pods of a node, as it knows them. */
export interface KnownPods {
  get(ref: { readonly name: string; readonly namespace: string }): Pod | undefined;
  list(): readonly Pod[];
  /** Calls with every change; the function returned ends that. */
  on(handler: () => void): () => void;
}

/** Streams of containers that are not there: a line of log, a handful of commands, a page at every port, and what was asked for in use. */
export function simulatedStreams(pods: KnownPods, clock: Clock): NodeStreams {
  const podOf = ({ namespace, pod, uid }: Omit<ContainerRef, "container">): Pod => {
    const found = pods.get({ name: pod, namespace });
    if (found !== undefined && (uid === "" || found.metadata.uid === uid)) return found;
    throw new ApiError(404, "NotFound", `pod "${pod}_${namespace}" not found`);
  };
  const running = (target: ContainerRef): void => {
    if (!isRunning(podOf(target), target.container)) throw new ApiError(404, "NotFound", `container not found ("${target.container}")`);
  };
  const stillRuns = ({ namespace, pod, container }: ContainerRef, uid: string): boolean => {
    const now = pods.get({ name: pod, namespace });
    return now !== undefined && now.metadata.uid === uid && isRunning(now, container);
  };
  /** Resolves when the container runs no more, or nobody is interested. */
  const ending = async (target: ContainerRef, uid: string, signal: AbortSignal): Promise<void> => {
    let look = () => {};
    const off = pods.on(() => look());
    try {
      await new Promise<void>((resolve) => {
        look = () => {
          if (signal.aborted || !stillRuns(target, uid)) resolve();
        };
        signal.addEventListener("abort", look);
        look();
      });
    } finally {
      off();
      signal.removeEventListener("abort", look);
    }
  };

  return {
    async *logs(target, options, signal) {
      const pod = podOf(target);
      const written = logOf(pod, target.container, options);
      if (written.length > 0) yield written;
      const full = options.limitBytes !== undefined && written.length >= options.limitBytes;
      if (options.follow && !options.previous && !full) await ending(target, pod.metadata.uid, signal);
    },
    async exec(target, command) {
      running(target);
      return session(clock, (around) => run(command, around));
    },
    async attach(target) {
      running(target);
      const { uid } = podOf(target).metadata;
      return session(clock, async ({ signal }) => {
        await ending(target, uid, signal);
        return 0;
      });
    },
    async connect(target, port) {
      const { metadata, spec } = podOf(target);
      const open = spec.containers.some(({ ports = [] }) => ports.some(({ containerPort }) => containerPort === port));
      if (!open) throw new Error(`failed to connect to localhost:${port} inside pod ${metadata.name}: connection refused`);
      return pageConnection(`pod ${metadata.namespace}/${metadata.name}, port ${port}, simulated\n`);
    },
    async usage() {
      const all = pods
        .list()
        .filter(({ status }) => status.phase === "Running")
        .map((pod) => ({ namespace: pod.metadata.namespace, pod: pod.metadata.name, containers: usageOf(pod) }));
      const node = all.flatMap(({ containers }) => Object.values(containers)).reduce(sum, { cpuNanoCores: 0, memoryBytes: 0 });
      return { node, pods: all };
    },
  };
}

/** What a container uses that asks for nothing. */
const LEAST: Usage = { cpuNanoCores: 1_000_000, memoryBytes: 16 * 1024 * 1024 };

function usageOf({ spec }: Pod): Readonly<Record<string, Usage>> {
  return Object.fromEntries(
    spec.containers.map(({ name, resources }) => {
      const { cpu, memory } = resources?.requests ?? {};
      return [
        name,
        {
          cpuNanoCores: cpu === undefined ? LEAST.cpuNanoCores : Math.round(Number(quantity(cpu)) * 1e9),
          memoryBytes: memory === undefined ? LEAST.memoryBytes : Math.round(Number(quantity(memory))),
        },
      ];
    }),
  );
}

const sum = (a: Usage, b: Usage): Usage => ({ cpuNanoCores: a.cpuNanoCores + b.cpuNanoCores, memoryBytes: a.memoryBytes + b.memoryBytes });

/** Runs something as a session, until it is done or nobody is interested. */
function session(clock: Clock, work: (around: Surroundings) => Promise<number>): Session {
  const [input, stdout, stderr] = [bytePipe(), bytePipe(), bytePipe()];
  const over = new AbortController();
  const { signal } = over;
  const around: Surroundings = {
    input,
    clock,
    signal,
    out: (text) => stdout.write(Buffer.from(text as string)),
    err: (text) => stderr.write(Buffer.from(text)),
  };
  const end = work(around)
    .then((code): SessionEnd => ({ code }))
    .catch((reason: unknown): SessionEnd => ({ error: reason instanceof Error ? reason.message : String(reason) }))
    .finally(() => {
      for (const each of [input, stdout, stderr]) each.end();
    });
  return {
    async write(chunk) {
      input.write(chunk);
    },
    endInput: () => input.end(),
    stdout,
    stderr,
    resize() {},
    end,
    close() {
      over.abort(new Error("nobody is interested any more"));
      input.end();
    },
  };
}
