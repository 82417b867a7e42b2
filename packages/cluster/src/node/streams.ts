import type { Duplex } from "node:stream";

/** A container of a pod that the node runs. */
export interface ContainerRef {
  readonly namespace: string;
  readonly pod: string;
  /** Empty where whoever asks does not know it: then it is the pod of that name. */
  readonly uid: string;
  readonly container: string;
}

export interface LogOptions {
  readonly follow: boolean;
  /** Of the run before this one. */
  readonly previous: boolean;
  readonly timestamps: boolean;
  readonly tailLines?: number | undefined;
  readonly limitBytes?: number | undefined;
  /** Milliseconds since 1970; earlier lines are left out. */
  readonly since?: number | undefined;
  /** Only one of the two outputs; both by default. */
  readonly stream?: "Stdout" | "Stderr" | undefined;
}

export interface SessionOptions {
  readonly stdin: boolean;
  readonly stdout: boolean;
  readonly stderr: boolean;
  readonly tty: boolean;
}

export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

/** How a session ended: an exit code, or why there is none. */
export type SessionEnd = { readonly code: number } | { readonly error: string };

/** A command that runs in a container, or the container's own process, as somebody at the other end of a wire sees it. */
export interface Session {
  /** Resolves when it is taken; a command that has ended takes everything and does nothing with it. */
  write(chunk: Uint8Array): Promise<void>;
  endInput(): void;
  readonly stdout: AsyncIterable<Uint8Array>;
  /** Nothing where there is a terminal. */
  readonly stderr: AsyncIterable<Uint8Array>;
  resize(size: TerminalSize): void;
  readonly end: Promise<SessionEnd>;
  /** The other end has gone: a command is ended, a container goes on. */
  close(): void;
}

/** Nanocores and bytes in use now. */
export interface Usage {
  readonly cpuNanoCores: number;
  readonly memoryBytes: number;
}

export interface PodUsage {
  readonly namespace: string;
  readonly pod: string;
  readonly containers: Readonly<Record<string, Usage>>;
}

/**
 * What a node does with its containers on somebody's behalf: the far end of `kubectl logs`, `exec`, `attach`, `port-forward`
 * and `top`. The API server of the same process calls it directly; to any other one a kubelet's HTTPS port offers the same.
 * A refusal is thrown as an ApiError, in the words of a kubelet.
 */
export interface NodeStreams {
  logs(target: ContainerRef, options: LogOptions, signal: AbortSignal): AsyncIterable<Uint8Array>;
  exec(target: ContainerRef, command: readonly string[], options: SessionOptions): Promise<Session>;
  attach(target: ContainerRef, options: SessionOptions): Promise<Session>;
  /** A connection to a port of the pod. */
  connect(target: Omit<ContainerRef, "container">, port: number): Promise<Duplex>;
  usage(): Promise<{ readonly node: Usage; readonly pods: readonly PodUsage[] }>;
}
