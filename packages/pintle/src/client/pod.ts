import type { Duplex } from "node:stream";
import type { Metadata } from "../kinds/index.ts";
import type { CallOptions } from "./options.ts";

/** autoscaling/v1 Scale: what every scalable kind looks like to whoever scales it. */
export interface Scale {
  readonly apiVersion: "autoscaling/v1";
  readonly kind: "Scale";
  readonly metadata: Metadata;
  readonly spec: { readonly replicas?: number | undefined };
  readonly status: { readonly replicas: number; readonly selector?: string | undefined };
}

export interface EvictOptions extends CallOptions {
  readonly gracePeriodSeconds?: number | undefined;
  /** Evict only if it is still this pod; otherwise Conflict. */
  readonly uid?: string | undefined;
  readonly dryRun?: boolean | undefined;
}

export interface TokenOptions extends CallOptions {
  readonly audiences?: readonly string[] | undefined;
  readonly expirationSeconds?: number | undefined;
  /** The token dies with this object. */
  readonly boundTo?:
    | { readonly apiVersion: string; readonly kind: string; readonly name: string; readonly uid?: string | undefined }
    | undefined;
}
export interface Token {
  readonly token: string;
  readonly expirationTimestamp: string;
}

export interface LogOptions extends CallOptions {
  /** Default: the only one. */
  readonly container?: string | undefined;
  readonly follow?: boolean | undefined;
  /** The output of the container's previous run. */
  readonly previous?: boolean | undefined;
  readonly sinceSeconds?: number | undefined;
  readonly sinceTime?: string | undefined;
  readonly tailLines?: number | undefined;
  readonly limitBytes?: number | undefined;
  readonly timestamps?: boolean | undefined;
}

export interface ExecOptions extends CallOptions {
  readonly command: readonly string[];
  readonly container?: string | undefined;
  /** Sent as it comes; its end closes the command's standard input. When it throws, `exit` rejects with that. */
  readonly stdin?: AsyncIterable<Uint8Array | string> | Iterable<Uint8Array | string> | undefined;
  /** Run in a terminal: one output stream, and a size. */
  readonly tty?: boolean | undefined;
}
export interface Exec {
  readonly stdout: AsyncIterable<Uint8Array>;
  readonly stderr: AsyncIterable<Uint8Array>;
  /** The exit code; rejects when the command could not be run or the connection broke. */
  readonly exit: Promise<number>;
  resize(size: { readonly columns: number; readonly rows: number }): void;
  /** Hangs up. */
  close(): void;
}

export type ForwardedPort = Duplex;
