import type { Socket } from "node:net";
import type { Connector } from "./connector.ts";
import { createResponseParser, type ResponseHeaders, type ResponseParser } from "./response-parser.ts";
import { WireError } from "./wire-error.ts";

/** A request encoded for HTTP/1.1. */
export interface EncodedRequest {
  readonly method: string;
  /** Request line and headers, up to the body. */
  readonly head: string;
  readonly body: string | undefined;
  readonly upgrade?: boolean | undefined;
  /** Milliseconds until the head of the response must have arrived. */
  readonly headTimeout: number;
  /** Milliseconds that may pass without a byte of the body. */
  readonly idleTimeout: number;
}

/** Receives the progress of a request. No method is called after `onEnd`, `onError`, `onUnsent` or `onUpgrade`. */
export interface ResponseListener {
  /** Called synchronously before the request is written to the socket. False: it is not written. */
  beforeWrite(): boolean;
  /** The request was not written; the connection can be reused. */
  onUnsent(): void;
  onHead(status: number, headers: ResponseHeaders): void;
  onData(chunk: Buffer): void;
  onEnd(): void;
  onUpgrade(status: number, headers: ResponseHeaders, socket: Socket): void;
  /** The request failed, and the connection cannot be reused. */
  onError(error: unknown): void;
}

/** Controls a request in flight. */
export interface RequestControl {
  abort(): void;
  pause(): void;
  resume(): void;
}

/** A keep-alive connection for one request at a time. Connects when a request is sent and no open socket is left. */
export interface Connection {
  send(request: EncodedRequest, listener: ResponseListener): RequestControl;
  /** Closes the connection; a request in flight fails. */
  destroy(): void;
}

/** Shorter than the 90 seconds after which API servers close an idle connection. */
const MAX_IDLE_MS = 60_000;
/** A body of at most this many characters fits into the send buffer of the kernel. */
const KERNEL_BUFFER_CHARS = 16 * 1024;
/** An idle connection is dropped this long before the server would close it (`keep-alive: timeout=...`). */
const KEEP_ALIVE_MARGIN_MS = 1_000;

/** Returns a connection that opens its sockets with the given connector. */
export function createConnection(open: Connector): Connection {
  return new KeepAliveConnection(open);
}

class KeepAliveConnection implements Connection, RequestControl {
  readonly #open: Connector;
  readonly #parser: ResponseParser;
  #socket: Socket | undefined;
  #cancelConnect: (() => void) | undefined;
  #request: EncodedRequest | undefined;
  #listener: ResponseListener | undefined;
  #headReceived = false;
  #paused = false;
  #destroyed = false;
  #timeout = 0;
  #idleSince = 0;
  #idleLimit = MAX_IDLE_MS;

  constructor(open: Connector) {
    this.#open = open;
    this.#parser = createResponseParser({
      onHead: (status, headers) => this.#head(status, headers),
      onData: (chunk) => this.#listener?.onData(chunk),
      onEnd: (keep) => this.#end(keep),
      onUpgrade: (status, headers, rest) => this.#upgraded(status, headers, rest),
    });
  }

  send(request: EncodedRequest, listener: ResponseListener): RequestControl {
    this.#request = request;
    this.#listener = listener;
    this.#headReceived = false;
    const socket = this.#socket;
    if (socket?.writable && performance.now() - this.#idleSince < this.#idleLimit) this.#write(socket);
    else this.#connect();
    return this;
  }

  abort(): void {
    this.#fail(new WireError("CLOSED", "the request was aborted"));
  }

  pause(): void {
    this.#paused = true;
    this.#socket?.pause();
  }

  resume(): void {
    if (!this.#paused) return;
    this.#paused = false;
    this.#socket?.resume();
  }

  destroy(): void {
    this.#destroyed = true;
    this.#fail(new WireError("CLOSED", "the connection was closed"));
  }

  #connect(): void {
    this.#dropSocket();
    this.#cancelConnect = this.#open((error, socket) => {
      this.#cancelConnect = undefined;
      if (socket === undefined) return this.#fail(error);
      this.#attachSocket(socket);
      this.#write(socket);
    });
  }

  #attachSocket(socket: Socket): void {
    this.#socket = socket;
    this.#timeout = 0;
    this.#idleLimit = MAX_IDLE_MS;
    const isCurrent = () => socket === this.#socket;
    socket.on("data", (chunk: Buffer) => {
      if (isCurrent()) this.#read(() => this.#parser.parse(chunk));
    });
    socket.on("end", () => {
      if (isCurrent()) this.#onPeerClose();
    });
    socket.on("close", () => {
      if (isCurrent()) this.#onPeerClose();
    });
    socket.on("error", (error) => {
      if (isCurrent()) this.#fail(error);
    });
    socket.on("timeout", () => {
      if (isCurrent()) this.#timedOut();
    });
  }

  #write(socket: Socket): void {
    const request = this.#request!;
    const listener = this.#listener!;
    if (!listener.beforeWrite()) {
      this.#becomeIdle();
      listener.onUnsent();
      return;
    }
    socket.ref();
    this.#setSocketTimeout(request.headTimeout);
    this.#parser.expectResponse(request);
    const { head, body = "" } = request;
    if (isAscii(head)) socket.write(head + body);
    else socket.write(Buffer.concat([Buffer.from(head, "latin1"), Buffer.from(body)]));
  }

  #read(read: () => void): void {
    try {
      read();
    } catch (error) {
      this.#fail(error);
    }
  }

  #onPeerClose(): void {
    this.#read(() => this.#parser.onPeerClose());
    this.#dropSocket();
  }

  #head(status: number, headers: ResponseHeaders): void {
    this.#headReceived = true;
    this.#setSocketTimeout(this.#request!.idleTimeout);
    const seconds = /(?:^|[ ,])timeout=(\d{1,6})/i.exec(String(headers["keep-alive"] ?? ""))?.[1];
    if (seconds !== undefined) this.#idleLimit = Math.min(MAX_IDLE_MS, Number(seconds) * 1000 - KEEP_ALIVE_MARGIN_MS);
    this.#listener?.onHead(status, headers);
  }

  #end(keep: boolean): void {
    const listener = this.#listener;
    if (!keep || this.#destroyed || this.#hasUnsentBody()) this.#dropSocket();
    this.#becomeIdle();
    listener?.onEnd();
  }

  /**
   * A server may respond before it has read the whole body; the rest would be read as the next request. A short body has left
   * at once, even if Node reports the write only after the response.
   */
  #hasUnsentBody(): boolean {
    return (this.#request?.body?.length ?? 0) > KERNEL_BUFFER_CHARS && (this.#socket?.writableLength ?? 0) > 0;
  }

  #becomeIdle(): void {
    this.resume();
    this.#request = undefined;
    this.#listener = undefined;
    this.#idleSince = performance.now();
    this.#socket?.unref();
  }

  #upgraded(status: number, headers: ResponseHeaders, rest: Buffer): void {
    const socket = this.#socket!;
    const listener = this.#listener!;
    this.#socket = undefined;
    this.#request = undefined;
    this.#listener = undefined;
    socket.pause();
    for (const event of ["data", "end", "close", "error", "timeout"]) socket.removeAllListeners(event);
    socket.setTimeout(0);
    if (rest.length > 0) socket.unshift(rest);
    listener.onUpgrade(status, headers, socket);
  }

  #timedOut(): void {
    if (this.#listener === undefined) {
      const rest = this.#idleLimit - (performance.now() - this.#idleSince);
      if (rest <= 0) this.#dropSocket();
      else this.#setSocketTimeout(Math.ceil(rest));
    } else if (!this.#paused) {
      const [code, what] = this.#headReceived
        ? (["BODY_TIMEOUT", "stopped"] as const)
        : (["HEAD_TIMEOUT", "did not begin in time"] as const);
      this.#fail(new WireError(code, `the response ${what}`));
    }
  }

  /** Sets how long the socket may be idle. Skipped when unchanged, which is the case for most requests. */
  #setSocketTimeout(milliseconds: number): void {
    if (this.#timeout === milliseconds) return;
    this.#timeout = milliseconds;
    this.#socket?.setTimeout(milliseconds);
  }

  #fail(error: unknown): void {
    const listener = this.#listener;
    this.#dropSocket();
    this.#becomeIdle();
    listener?.onError(error);
  }

  /** Destroys the socket; the next request opens another one. */
  #dropSocket(): void {
    const socket = this.#socket;
    this.#cancelConnect?.();
    this.#cancelConnect = undefined;
    this.#socket = undefined;
    this.#paused = false;
    if (socket === undefined) return;
    // A socket that is no longer used may still report errors.
    socket.on("error", () => {});
    socket.destroy();
  }
}

function isAscii(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: tests for all other characters
  return !/[^\x00-\x7f]/.test(text);
}
