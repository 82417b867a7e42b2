import type { Duplex } from "node:stream";
import type { Metadata } from "../../kinds/index.ts";
import type { RequestOptions } from "./options.ts";

/** autoscaling/v1 Scale: the subresource of every scalable kind. */
export interface Scale {
  readonly apiVersion: "autoscaling/v1";
  readonly kind: "Scale";
  readonly metadata: Metadata;
  readonly spec: { readonly replicas?: number | undefined };
  readonly status: { readonly replicas: number; readonly selector?: string | undefined };
}

/** Options of `Client.evict`. */
export interface EvictionOptions extends RequestOptions {
  /** Default: that of the pod. */
  readonly gracePeriodSeconds?: number | undefined;
  /** Fail with `Conflict` unless the pod has this uid. Default: no check. */
  readonly uid?: string | undefined;
  /** Execute everything except the eviction. Default: false. */
  readonly dryRun?: boolean | undefined;
}

/** Options of `Client.createToken`. */
export interface TokenRequestOptions extends RequestOptions {
  /** Default: the audience of the API server. */
  readonly audiences?: readonly string[] | undefined;
  /** Default: that of the server, one hour. */
  readonly expirationSeconds?: number | undefined;
  /** The token becomes invalid when this object is deleted. Default: none. */
  readonly boundTo?:
    | { readonly apiVersion: string; readonly kind: string; readonly name: string; readonly uid?: string | undefined }
    | undefined;
}
/** A token of a service account. */
export interface ServiceAccountToken {
  readonly token: string;
  readonly expirationTimestamp: string;
}

/** Options of `Client.logs`. */
export interface PodLogOptions extends RequestOptions {
  /** Default: the only container. */
  readonly container?: string | undefined;
  /** Stream new output until the container ends. Default: false. */
  readonly follow?: boolean | undefined;
  /** Return the output of the previous instance of the container. Default: false. */
  readonly previous?: boolean | undefined;
  /** Only output of the last seconds. Default: all. */
  readonly sinceSeconds?: number | undefined;
  /** Only output after this time (RFC 3339). Default: all. */
  readonly sinceTime?: string | undefined;
  /** Only the last lines. Default: all. */
  readonly tailLines?: number | undefined;
  /** Default: no limit. */
  readonly limitBytes?: number | undefined;
  /** Prefix each line with its time. Default: false. */
  readonly timestamps?: boolean | undefined;
}

/** Options of `Client.exec`. */
export interface ExecOptions extends RequestOptions {
  /** The command and its arguments; not run in a shell. */
  readonly command: readonly string[];
  /** Default: the only container. */
  readonly container?: string | undefined;
  /** The standard input; its end closes the input of the command. If it throws, `exit` rejects with the error. Default: none. */
  readonly stdin?: AsyncIterable<Uint8Array | string> | Iterable<Uint8Array | string> | undefined;
  /** Allocate a terminal: one output stream, and a size. Default: false. */
  readonly tty?: boolean | undefined;
}
/** A command that runs in a container. */
export interface ExecSession {
  readonly stdout: AsyncIterable<Uint8Array>;
  readonly stderr: AsyncIterable<Uint8Array>;
  /** Resolves to the exit code; rejects if the command could not be run or the connection failed. */
  readonly exit: Promise<number>;
  /** Sets the size of the terminal. */
  resize(size: { readonly columns: number; readonly rows: number }): void;
  /** Closes the connection. */
  close(): void;
}

/** A connection to a port of a pod. */
export type ForwardedPort = Duplex;
