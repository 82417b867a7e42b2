import type { Clock } from "pintle/internal/clock";
import { quantityValue } from "pintle/internal/merge";
import type { ContainerStatus, Pod } from "pintle/kinds/core/v1";
import { ApiError } from "../../status/index.ts";
import { createBytePipe } from "../byte-pipe.ts";
import type {
  ContainerLogOptions,
  ContainerRef,
  ContainerSession,
  ContainerSessionEnd,
  NodeStreams,
  ResourceUsage,
} from "../node-streams.ts";
import { CPU_USAGE_ANNOTATION, LOGS_ANNOTATION, MEMORY_USAGE_ANNOTATION } from "./behaviour.ts";
import { type CommandIo, runCommand } from "./commands.ts";
import { connectToTextServer } from "./text-server.ts";

/** The pods of the node. */
export interface PodLister {
  get(ref: { readonly name: string; readonly namespace: string }): Pod | undefined;
  list(): readonly Pod[];
  /** Calls the handler after every change. Returns the function that removes it. */
  addEventHandler(handler: () => void): () => void;
}

/**
 * Creates the streams of simulated containers: one log line, a few commands, a text page at every container port, and usage equal to the
 * requests.
 */
export function createSimulatedStreams(pods: PodLister, clock: Clock): NodeStreams {
  const getPod = ({ namespace, pod, uid }: Omit<ContainerRef, "container">): Pod => {
    const match = pods.get({ name: pod, namespace });
    if (match !== undefined && (uid === "" || match.metadata.uid === uid)) return match;
    throw new ApiError(404, "NotFound", `pod "${pod}_${namespace}" not found`);
  };
  const requireRunning = (target: ContainerRef): void => {
    if (!isContainerRunning(getPod(target), target.container))
      throw new ApiError(404, "NotFound", `container not found ("${target.container}")`);
  };
  const isStillRunning = ({ namespace, pod, container }: ContainerRef, uid: string): boolean => {
    const now = pods.get({ name: pod, namespace });
    return now !== undefined && now.metadata.uid === uid && isContainerRunning(now, container);
  };
  /** Resolves when the container no longer runs, or the client disconnects. */
  const waitForExit = async (target: ContainerRef, uid: string, signal: AbortSignal): Promise<void> => {
    let check = () => {};
    const removeHandler = pods.addEventHandler(() => check());
    try {
      await new Promise<void>((resolve) => {
        check = () => {
          if (signal.aborted || !isStillRunning(target, uid)) resolve();
        };
        signal.addEventListener("abort", check);
        check();
      });
    } finally {
      removeHandler();
      signal.removeEventListener("abort", check);
    }
  };

  return {
    async *logs(target, options, signal) {
      const pod = getPod(target);
      const written = renderContainerLog(pod, target.container, options);
      if (written.length > 0) yield written;
      const full = options.limitBytes !== undefined && written.length >= options.limitBytes;
      if (options.follow && !options.previous && !full) await waitForExit(target, pod.metadata.uid, signal);
    },
    async exec(target, command) {
      requireRunning(target);
      return startSession(clock, (io) => runCommand(command, io));
    },
    async attach(target) {
      requireRunning(target);
      const { uid } = getPod(target).metadata;
      return startSession(clock, async ({ signal }) => {
        await waitForExit(target, uid, signal);
        return 0;
      });
    },
    async connect(target, port) {
      const { metadata, spec } = getPod(target);
      const open = spec.containers.some(({ ports = [] }) => ports.some(({ containerPort }) => containerPort === port));
      if (!open) throw new Error(`failed to connect to localhost:${port} inside pod ${metadata.name}: connection refused`);
      return connectToTextServer(`pod ${metadata.namespace}/${metadata.name}, port ${port}, simulated\n`);
    },
    async usage() {
      const all = pods
        .list()
        .filter(({ status }) => status.phase === "Running")
        .map((pod) => ({ namespace: pod.metadata.namespace, pod: pod.metadata.name, containers: computeUsage(pod) }));
      const node = all.flatMap(({ containers }) => Object.values(containers)).reduce(addUsage, { cpuNanoCores: 0, memoryBytes: 0 });
      return { node, pods: all };
    },
  };
}

/** The usage of a container without requests. */
const DEFAULT_USAGE: ResourceUsage = { cpuNanoCores: 1_000_000, memoryBytes: 16 * 1024 * 1024 };

function computeUsage({ metadata, spec }: Pod): Readonly<Record<string, ResourceUsage>> {
  const used = metadata.annotations ?? {};
  return Object.fromEntries(
    spec.containers.map(({ name, resources }) => {
      const cpu = parseAmount(used[CPU_USAGE_ANNOTATION]) ?? parseAmount(resources?.requests?.["cpu"]);
      const memory = parseAmount(used[MEMORY_USAGE_ANNOTATION]) ?? parseAmount(resources?.requests?.["memory"]);
      return [
        name,
        {
          cpuNanoCores: cpu === undefined ? DEFAULT_USAGE.cpuNanoCores : Math.round(cpu * 1e9),
          memoryBytes: memory === undefined ? DEFAULT_USAGE.memoryBytes : Math.round(memory),
        },
      ];
    }),
  );
}

function parseAmount(quantity: string | undefined): number | undefined {
  const value = quantity === undefined ? undefined : quantityValue(quantity);
  return value === undefined ? undefined : Number(value);
}

const addUsage = (a: ResourceUsage, b: ResourceUsage): ResourceUsage => ({
  cpuNanoCores: a.cpuNanoCores + b.cpuNanoCores,
  memoryBytes: a.memoryBytes + b.memoryBytes,
});

/** Runs a function as a session, until it returns or the client disconnects. */
function startSession(clock: Clock, work: (io: CommandIo) => Promise<number>): ContainerSession {
  const [input, stdout, stderr] = [createBytePipe(), createBytePipe(), createBytePipe()];
  const controller = new AbortController();
  const { signal } = controller;
  const io: CommandIo = {
    input,
    clock,
    signal,
    writeStdout: (text) => stdout.write(Buffer.from(text as string)),
    writeStderr: (text) => stderr.write(Buffer.from(text)),
  };
  const end = work(io)
    .then((code): ContainerSessionEnd => ({ code }))
    .catch((reason: unknown): ContainerSessionEnd => ({ error: reason instanceof Error ? reason.message : String(reason) }))
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
      controller.abort(new Error("the client disconnected"));
      input.end();
    },
  };
}

/** Renders the log of a simulated container, which writes all lines at its start. */
function renderContainerLog(pod: Pod, container: string, options: ContainerLogOptions): Uint8Array {
  const started = getStartTime(getContainerStatus(pod, container), options.previous);
  if (started === undefined || options.stream === "Stderr") return new Uint8Array();
  if (options.since !== undefined && Date.parse(started) < options.since) return new Uint8Array();
  const prefix = options.timestamps ? `${started.replace("Z", ".000000000Z")} ` : "";
  const written = getLogLines(pod, container);
  const lines = options.tailLines === undefined ? written : written.slice(Math.max(0, written.length - options.tailLines));
  const bytes = Buffer.from(lines.map((line) => `${prefix}${line}\n`).join(""));
  return bytes.subarray(0, options.limitBytes);
}

function isContainerRunning(pod: Pod, container: string): boolean {
  return getContainerStatus(pod, container)?.state?.running !== undefined;
}

function getLogLines({ metadata, spec }: Pod, container: string): readonly string[] {
  const annotated = metadata.annotations?.[LOGS_ANNOTATION];
  if (annotated !== undefined) return annotated === "" ? [] : annotated.replace(/\n$/, "").split("\n");
  const { image = "" } = [...(spec.initContainers ?? []), ...spec.containers].find(({ name }) => name === container) ?? {};
  return [`container ${container} of pod ${metadata.namespace}/${metadata.name} runs ${image}, simulated`];
}

function getContainerStatus({ status }: Pod, container: string): ContainerStatus | undefined {
  return [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])].find(({ name }) => name === container);
}

function getStartTime(status: ContainerStatus | undefined, previous: boolean): string | undefined {
  const before = status?.lastState?.terminated?.startedAt;
  if (previous) return before ?? undefined;
  return status?.state?.running?.startedAt ?? status?.state?.terminated?.startedAt ?? before ?? undefined;
}
