/** Limits of a listener. Durations in milliseconds. */
export interface HttpLimits {
  /** Connections; beyond it the one that has been idle for the longest time is closed. */
  readonly maxConnections: number;
  /** Open streams of one HTTP/2 connection. */
  readonly maxConcurrentStreams: number;
  /** For the TLS handshake. */
  readonly handshakeTimeout: number;
  /** For the head of an HTTP/1.1 request. */
  readonly headerTimeout: number;
  /** For a request that is not long-running, from its head to the last byte of its body, and again to the last byte of its response. */
  readonly requestTimeout: number;
  /** For a connection without requests. */
  readonly idleTimeout: number;
}

/** The timeouts for requests and idle connections are those of kube-apiserver. */
export const DEFAULT_HTTP_LIMITS: HttpLimits = {
  maxConnections: 10_000,
  maxConcurrentStreams: 250,
  handshakeTimeout: 10_000,
  headerTimeout: 32_000,
  requestTimeout: 60_000,
  idleTimeout: 90_000,
};

/** The limit of kube-apiserver for all headers of a request: long selectors come in the request line. */
export const MAX_HEADER_BYTES = 1024 * 1024;
/** The limit of kube-apiserver for the body of a request. */
export const MAX_BODY_BYTES = 3 * 1024 * 1024;
/** What a client may send ahead on one stream before the server reads its body. */
export const STREAM_WINDOW_BYTES = 64 * 1024;
/** What is handed to a connection at a time: the rest of a response waits until the client has read it. */
export const WRITE_CHUNK_BYTES = 256 * 1024;
/** What nghttp2 may hold for one connection: a chunk for every stream, and their headers. Beyond it new streams are refused. */
export const MAX_SESSION_MEGABYTES = 128;
