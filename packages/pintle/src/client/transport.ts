/**
 * Sends requests of a client: over HTTP to an API server, or in process to an embedded cluster. Bodies are JSON values on both sides, so an
 * in-process transport encodes nothing.
 */
export interface Transport {
  /** Resolves when the head of the response has arrived, whatever its status; rejects with `ConnectionError` without a response. */
  request(request: TransportRequest): Promise<TransportResponse>;
  /** Opens a channel (exec, port-forward). Rejects with `RequestError` if the server refuses it. Absent if the transport has no channels. */
  open?(request: ChannelRequest): Promise<DuplexChannel>;
  /**
   * Called by controllers at the start of each reconciliation; the returned function at its end. An embedded cluster waits for them in
   * `settled()`. Absent if the transport leads out of this process.
   */
  trackWork?(description: string): () => void;
  /** Closes all connections and aborts requests in flight. */
  close(): Promise<void>;
}

/** A request to an API server. */
export interface TransportRequest {
  readonly method: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Absolute path, segments already percent-encoded: "/api/v1/namespaces/default/pods". */
  readonly path: string;
  /** Default: none. */
  readonly query?: QueryParameters | undefined;
  /** Lower-case names. The caller sets `accept` and `content-type`; the transport adds credentials and user-agent. Default: none. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>> | undefined;
  /** A JSON value. The transport does not modify it and may retain it: do not change it after the call. Default: no body. */
  readonly body?: unknown;
  /** Aborts the request. Default: none. */
  readonly signal?: AbortSignal | undefined;
  /** Called synchronously before each attempt is written to the socket; if it throws, nothing is sent and the call rejects with the error. Default: none. */
  readonly permit?: (() => void) | undefined;
  /** A streaming response (watch, followed log); `idleTimeout` is the longest time in milliseconds without data. Default: a short response. */
  readonly stream?: { readonly idleTimeout: number } | undefined;
}
/** Query parameters by name; lists are repeated. */
export type QueryParameters = Readonly<Record<string, string | readonly string[] | undefined>>;

/** A response of an API server. */
export interface TransportResponse {
  readonly status: number;
  /** Lower-case names; repeated headers (`warning`) as lists. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Resolves to the body as a JSON value, to be treated as readonly. Call exactly one of `json`, `lines` and `bytes`. */
  json(): Promise<unknown>;
  /** Iterates over one JSON value per line (watch). Ending the iteration ends the request. */
  lines(): AsyncIterable<unknown>;
  /** Iterates over the bytes (logs, text endpoints). Ending the iteration ends the request. */
  bytes(): AsyncIterable<Uint8Array>;
}

/** A request to open a channel. */
export interface ChannelRequest {
  readonly path: string;
  /** Default: none. */
  readonly query?: QueryParameters | undefined;
  /** Subprotocols in order of preference: "v5.channel.k8s.io", ... */
  readonly protocols: readonly string[];
  readonly signal?: AbortSignal | undefined;
}

/** A message channel in both directions, as a WebSocket is. */
export interface DuplexChannel {
  /** The subprotocol that the server chose. */
  readonly protocol: string;
  /** Resolves when the message has been written, which applies backpressure. */
  send(message: Uint8Array): Promise<void>;
  /** Iterates until the peer closes; throws `ConnectionError` if the connection fails. Ending the iteration closes the channel. */
  messages(): AsyncIterable<Uint8Array>;
  close(): void;
}
