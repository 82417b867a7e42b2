import type { Duplex } from "node:stream";

/** A container of a pod on the node. */
export interface ContainerRef {
  /** The namespace of the pod. */
  readonly namespace: string;
  /** The name of the pod. */
  readonly pod: string;
  /** Empty if the client does not know it: the pod is then identified by name. */
  readonly uid: string;
  /** The name of the container. */
  readonly container: string;
}

/** The options of a log request. */
export interface ContainerLogOptions {
  /** Whether the stream continues until the container exits. */
  readonly follow: boolean;
  /** The log of the previous run. */
  readonly previous: boolean;
  /** Whether each line starts with its time. */
  readonly timestamps: boolean;
  /** The number of last lines. Default: all. */
  readonly tailLines?: number | undefined;
  /** The maximal number of bytes. Default: no limit. */
  readonly limitBytes?: number | undefined;
  /** Milliseconds since 1970; earlier lines are skipped. Default: none are. */
  readonly since?: number | undefined;
  /** Default: both. */
  readonly stream?: "Stdout" | "Stderr" | undefined;
}

/** The streams of a session. */
export interface ContainerSessionOptions {
  /** Whether the client sends input. */
  readonly stdin: boolean;
  /** Whether the client reads the output. */
  readonly stdout: boolean;
  /** Whether the client reads the error output. */
  readonly stderr: boolean;
  /** Whether the session has a terminal. */
  readonly tty: boolean;
}

/** The size of a terminal, in characters. */
export interface TerminalSize {
  /** The width. */
  readonly columns: number;
  /** The height. */
  readonly rows: number;
}

/** How a session ended: the exit code, or an error message. */
export type ContainerSessionEnd = { readonly code: number } | { readonly error: string };

/** A command in a container, or the attached main process, as the client sees it. */
export interface ContainerSession {
  /** Resolves when the chunk is written; a command that has exited discards it. */
  write(chunk: Uint8Array): Promise<void>;
  /** Closes the input. */
  endInput(): void;
  /** The output; with a terminal it has the error output too. */
  readonly stdout: AsyncIterable<Uint8Array>;
  /** Empty with a terminal. */
  readonly stderr: AsyncIterable<Uint8Array>;
  /** Sets the size of the terminal. */
  resize(size: TerminalSize): void;
  /** Resolves when the session ends. */
  readonly end: Promise<ContainerSessionEnd>;
  /** The client disconnected: a command is killed, an attached container continues. */
  close(): void;
}

/** Current usage in nanocores and bytes. */
export interface ResourceUsage {
  /** Billionths of one core. */
  readonly cpuNanoCores: number;
  /** The working set. */
  readonly memoryBytes: number;
}

/** The usage of a pod, by container. */
export interface PodResourceUsage {
  /** The namespace of the pod. */
  readonly namespace: string;
  /** The name of the pod. */
  readonly pod: string;
  /** The usage of each container, by name. */
  readonly containers: Readonly<Record<string, ResourceUsage>>;
}

/**
 * The streaming interface of a node, behind `kubectl logs`, `exec`, `attach`, `port-forward` and `top`. The API server of the same process
 * calls it directly; others use the kubelet server over HTTPS. Refusals are thrown as ApiError with the messages of a kubelet.
 */
export interface NodeStreams {
  /** Reads the log of a container, until it is complete or the signal aborts. */
  logs(target: ContainerRef, options: ContainerLogOptions, signal: AbortSignal): AsyncIterable<Uint8Array>;
  /** Starts a command in a container. */
  exec(target: ContainerRef, command: readonly string[], options: ContainerSessionOptions): Promise<ContainerSession>;
  /** Attaches to the main process of a container. */
  attach(target: ContainerRef, options: ContainerSessionOptions): Promise<ContainerSession>;
  /** Connects to a port of the pod. */
  connect(target: Omit<ContainerRef, "container">, port: number): Promise<Duplex>;
  /** Returns the current usage of the node and its pods. */
  usage(): Promise<{ readonly node: ResourceUsage; readonly pods: readonly PodResourceUsage[] }>;
}
