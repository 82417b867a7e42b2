import type { Duplex } from "node:stream";
import { onAbort } from "../../clock/index.ts";
import { parseJson } from "../../json/index.ts";
import { ServerError } from "../errors/request-errors.ts";
import type { TransportResponse } from "../transport.ts";
import type { Connection, EncodedRequest, RequestControl, ResponseListener } from "./connection.ts";
import type { ConnectionPool, ConnectionWaiter } from "./connection-pool.ts";
import { concatChunks, splitLines } from "./split-lines.ts";
import { createTransportError, type ExchangeStage, type RequestTarget } from "./transport-error.ts";
import { WireError } from "./wire-error.ts";

/** The socket is paused while this much is buffered for a slower reader. */
const HIGH_WATER_BYTES = 1024 * 1024;

/** Sends a request on a connection of the pool. Resolves when the head of the response has arrived; the body is read on demand. */
export function sendOnPool(
  pool: ConnectionPool,
  request: EncodedRequest,
  target: RequestTarget,
  signal: AbortSignal | undefined,
  permit?: () => void,
): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    pool.acquire(new PooledResponse(pool, request, target, signal, permit, resolve, reject));
  });
}

/** A response, or the socket of an upgraded connection. */
export interface HttpResponse extends TransportResponse {
  /** The socket of an upgraded connection, with status 101. */
  readonly socket?: Duplex | undefined;
}

class PooledResponse implements ConnectionWaiter, ResponseListener, HttpResponse {
  status = 0;
  headers: TransportResponse["headers"] = {};
  socket: Duplex | undefined;
  readonly #pool: ConnectionPool;
  readonly #request: EncodedRequest;
  readonly #target: RequestTarget;
  readonly #permit: (() => void) | undefined;
  readonly #resolve: (response: HttpResponse) => void;
  readonly #reject: (error: unknown) => void;
  readonly #removeAbortListener: (() => void) | undefined;
  #connection: Connection | undefined;
  #control: RequestControl | undefined;
  #stage: ExchangeStage = "waiting";
  #chunks: Buffer[] = [];
  #bufferedBytes = 0;
  /** `json()` needs the whole body, so chunks are collected without backpressure. */
  #readsWholeBody = false;
  #ending: { readonly error?: unknown } | undefined;
  #resumeReader: (() => void) | undefined;

  constructor(
    pool: ConnectionPool,
    request: EncodedRequest,
    target: RequestTarget,
    signal: AbortSignal | undefined,
    permit: (() => void) | undefined,
    resolve: (response: HttpResponse) => void,
    reject: (error: unknown) => void,
  ) {
    this.#pool = pool;
    this.#request = request;
    this.#target = target;
    this.#permit = permit;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#removeAbortListener =
      signal &&
      onAbort(signal, () => {
        this.#finish({ error: signal.reason });
        if (this.#connection === undefined) pool.cancel(this);
        this.#control?.abort();
      });
  }

  start(connection: Connection): void {
    this.#connection = connection;
    const control = connection.send(this.#request, this);
    // The request may have failed already.
    if (this.#connection !== undefined) this.#control = control;
  }

  onPoolClosed(): void {
    this.#finish({ error: createTransportError(new WireError("CLOSED", "closed"), "waiting", this.#target) });
  }

  beforeWrite(): boolean {
    try {
      this.#permit?.();
    } catch (error) {
      this.#finish({ error });
    }
    if (this.#ending !== undefined) return false;
    this.#stage = "sent";
    return true;
  }

  onUnsent(): void {
    this.#releaseConnection();
  }

  onHead(status: number, headers: TransportResponse["headers"]): void {
    this.#stage = "responding";
    this.status = status;
    this.headers = headers;
    this.#resolve(this);
  }

  onUpgrade(status: number, headers: TransportResponse["headers"], socket: Duplex): void {
    this.status = status;
    this.headers = headers;
    this.socket = socket;
    this.#resolve(this);
    this.#finish({});
    this.#releaseConnection();
  }

  onData(chunk: Buffer): void {
    this.#chunks.push(chunk);
    if (this.#readsWholeBody) return;
    this.#bufferedBytes += chunk.length;
    if (this.#bufferedBytes > HIGH_WATER_BYTES) this.#control?.pause();
    this.#notifyReader();
  }

  onEnd(): void {
    this.#finish({});
    this.#releaseConnection();
  }

  onError(error: unknown): void {
    this.#finish({ error: createTransportError(error, this.#stage, this.#target) });
    const connection = this.#connection;
    this.#control = undefined;
    this.#connection = undefined;
    if (connection !== undefined) this.#pool.discard(connection);
  }

  async json(): Promise<unknown> {
    this.#readsWholeBody = true;
    this.#control?.resume();
    while (this.#ending === undefined) await this.#waitForData();
    if ("error" in this.#ending) throw this.#ending.error;
    const body = concatChunks(this.#chunks);
    this.#chunks = [];
    return this.#parse(body);
  }

  async *lines(): AsyncGenerator<unknown> {
    const incompleteLine = () => createTransportError(new Error("the last line is not complete"), "responding", this.#target);
    for await (const line of splitLines(this.bytes(), incompleteLine)) yield this.#parse(line);
  }

  async *bytes(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        const chunks = this.#chunks;
        if (chunks.length > 0) {
          this.#chunks = [];
          this.#bufferedBytes = 0;
          for (const chunk of chunks) yield chunk;
          if (this.#chunks.length === 0) this.#control?.resume();
        } else if (this.#ending === undefined) await this.#waitForData();
        else if ("error" in this.#ending) throw this.#ending.error;
        else return;
      }
    } finally {
      if (this.#ending === undefined) {
        this.#finish({});
        this.#control?.abort();
      }
    }
  }

  #parse(bytes: Uint8Array): unknown {
    try {
      return parseJson(bytes);
    } catch (cause) {
      const { request, server } = this.#target;
      const excerpt = JSON.stringify(Buffer.from(bytes.subarray(0, 200)).toString());
      throw new ServerError({
        message: `${server} responded with something other than JSON: ${excerpt} (${request})`,
        request,
        statusCode: this.status,
        cause,
      });
    }
  }

  #releaseConnection(): void {
    const connection = this.#connection;
    this.#control = undefined;
    this.#connection = undefined;
    if (connection !== undefined) this.#pool.release(connection);
  }

  #waitForData(): Promise<void> {
    return new Promise((resolve) => {
      this.#resumeReader = resolve;
    });
  }

  #notifyReader(): void {
    this.#resumeReader?.();
    this.#resumeReader = undefined;
  }

  #finish(ending: { readonly error?: unknown }): void {
    if (this.#ending !== undefined) return;
    this.#ending = ending;
    this.#removeAbortListener?.();
    if ("error" in ending) this.#reject(ending.error);
    this.#notifyReader();
  }
}
