/**
 * The seam between the client and whatever answers: an API server over HTTP, or an embedded cluster in this process.
 * Bodies are JSON values on both sides, so an in-process transport moves no bytes; an HTTP one encodes and parses.
 */
export interface Transport {
  /** Resolves when the head of the answer is there; rejects with ConnectionError when none came. Any status resolves. */
  request(request: TransportRequest): Promise<TransportResponse>;
  /** A two-way connection (exec, port-forward). Rejects with a RequestError when it is refused; absent where there are none. */
  open?(request: ChannelRequest): Promise<Channel>;
  /** Idle connections go at once; requests in flight are aborted. */
  close(): Promise<void>;
}

export interface TransportRequest {
  readonly method: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Absolute path, segments already percent-encoded: "/api/v1/namespaces/default/pods". */
  readonly path: string;
  readonly query?: Query | undefined;
  /** Lower-case names. `accept` and `content-type` are given by the caller; the transport adds credentials and user-agent. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>> | undefined;
  /** A JSON value; never mutated by the transport, which may keep it: do not change it after the call. */
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
  /** Called at the last moment, as the request goes to the socket, also when it is repeated: a throw keeps it from being sent, and is what the call rejects with. */
  readonly permit?: (() => void) | undefined;
  /** The answer goes on for long (watch, followed log), and at most so many milliseconds may pass between two parts of it. */
  readonly stream?: { readonly silence: number } | undefined;
}
export type Query = Readonly<Record<string, string | readonly string[] | undefined>>;

export interface TransportResponse {
  readonly status: number;
  /** Lower-case names; repeated headers (`warning`) as lists. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The whole body as a JSON value, frozen or not: treat as readonly. Exactly one of json/lines/bytes is consumed. */
  json(): Promise<unknown>;
  /** One JSON value per line as it arrives (watch). Ending the iteration ends the request. */
  lines(): AsyncIterable<unknown>;
  /** Raw bytes as they arrive (logs, text endpoints). Ending the iteration ends the request. */
  bytes(): AsyncIterable<Uint8Array>;
}

export interface ChannelRequest {
  readonly path: string;
  readonly query?: Query | undefined;
  /** In order of preference: "v5.channel.k8s.io", ... */
  readonly protocols: readonly string[];
  readonly signal?: AbortSignal | undefined;
}

/** Messages in both directions: what a WebSocket is. */
export interface Channel {
  /** The one of `protocols` that the server chose. */
  readonly protocol: string;
  /** Resolves when more may be sent without piling up. */
  send(message: Uint8Array): Promise<void>;
  /** Ends when the other side closes; throws ConnectionError when the connection breaks. Ending the iteration closes. */
  messages(): AsyncIterable<Uint8Array>;
  close(): void;
}
