import { createHash, randomBytes } from "node:crypto";
import type { Duplex } from "node:stream";
import { onAbort } from "../../../clock/index.ts";
import { ignoreError, runInBackground } from "../../../errors/index.ts";
import { ConnectionError } from "../../errors/request-errors.ts";
import type { DuplexChannel } from "../../transport.ts";
import type { RequestTarget } from "../transport-error.ts";
import { WireError } from "../wire-error.ts";
import { BINARY, CLOSE, CONTINUATION, createFrameDecoder, encodeFrame, MAX_MESSAGE_BYTES, PING, PONG, TEXT } from "./frames.ts";

const HANDSHAKE_GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
const NORMAL_CLOSURE = Buffer.from([0x03, 0xe8]);

/** The client side of a WebSocket handshake. */
export interface WebSocketHandshake {
  readonly headers: Readonly<Record<string, string>>;
  /** Returns whether the headers of the response complete this handshake. */
  isAccepted(headers: Readonly<Record<string, string | readonly string[] | undefined>>): boolean;
}

/** Returns a handshake that offers the given subprotocols. */
export function createHandshake(protocols: readonly string[]): WebSocketHandshake {
  const key = randomBytes(16).toString("base64");
  const expected = createHash("sha1")
    .update(key + HANDSHAKE_GUID)
    .digest("base64");
  return {
    headers: { "sec-websocket-key": key, "sec-websocket-version": "13", "sec-websocket-protocol": protocols.join(", ") },
    isAccepted: (headers) => headers["sec-websocket-accept"] === expected && protocols.includes(String(headers["sec-websocket-protocol"])),
  };
}

/** The socket is paused while more than this is buffered. */
const READ_AHEAD_BYTES = 1 << 20;
/** Empty messages take memory too. */
const MESSAGE_OVERHEAD_BYTES = 128;
const MAX_UNSENT_PONGS = 16;

/** Returns the WebSocket channel over a socket whose handshake is complete. */
export function openWebSocket(socket: Duplex, protocol: string, target: RequestTarget, signal: AbortSignal | undefined): DuplexChannel {
  const decode = createFrameDecoder();
  const received: Uint8Array[] = [];
  let bufferedBytes = 0;
  let fragments: Buffer[] = [];
  let fragmentBytes = 0;
  let unsentPongs = 0;
  let ending: { readonly error?: unknown } | undefined;
  let resumeReader = () => {};
  let closing = false;
  const createError = (why: string, cause?: unknown) =>
    new ConnectionError({ message: `${target.server}: ${why} (${target.request})`, request: target.request, cause }, true);

  const finish = (how: { readonly error?: unknown }) => {
    ending ??= how;
    resumeReader();
  };
  const fail = (why: string, cause?: unknown) =>
    finish(closing ? {} : { error: signal?.aborted ? signal.reason : createError(`the WebSocket connection failed: ${why}`, cause) });
  const removeListener = signal && onAbort(signal, () => socket.destroy(signal.reason));

  // Read from the socket at once, before the consumer reads: Node drops unread data with the socket.
  function take(chunk: Buffer): void {
    try {
      takeFrames(chunk);
    } catch (error) {
      if (!(error instanceof WireError)) throw error;
      fail(error.message, error);
      socket.destroy();
    }
    if (bufferedBytes > READ_AHEAD_BYTES && !closing) socket.pause();
    resumeReader();
  }
  function takeFrames(chunk: Buffer): void {
    for (const { opcode, payload, isFinal } of decode(chunk)) {
      if (opcode === CLOSE) finish({});
      if (opcode === PING) respondToPing(payload);
      // What comes after our close frame is not delivered.
      if (closing || (opcode !== TEXT && opcode !== BINARY && opcode !== CONTINUATION)) continue;
      if (payload.length > 0) fragments.push(payload);
      fragmentBytes += payload.length;
      if (fragmentBytes > MAX_MESSAGE_BYTES) throw new WireError("MALFORMED", `a message is longer than ${MAX_MESSAGE_BYTES} bytes`);
      if (!isFinal) continue;
      received.push(fragments.length === 1 ? (fragments[0] as Buffer) : Buffer.concat(fragments));
      bufferedBytes += fragmentBytes + MESSAGE_OVERHEAD_BYTES;
      fragments = [];
      fragmentBytes = 0;
    }
  }
  function respondToPing(payload: Buffer): void {
    // A peer that sends pings and does not read has the responses to the first ones.
    if (unsentPongs === MAX_UNSENT_PONGS) return;
    unsentPongs++;
    const sent = () => {
      unsentPongs--;
    };
    runInBackground(send(PONG, payload).finally(sent), ignoreError);
  }
  readAfterWriteError(socket, take);
  socket.on("data", take);
  socket.on("error", (error) => fail(error.message, error));
  socket.on("end", () => fail("it ended without a close frame"));
  socket.on("close", () => fail("it ended without a close frame"));
  // The HTTP connection paused it before the upgrade.
  socket.resume();

  function close(): void {
    if (closing) return;
    closing = true;
    removeListener?.();
    socket.end(encodeFrame(CLOSE, NORMAL_CLOSURE));
    // Drain what the peer still sends; it is not delivered.
    socket.resume();
  }

  function send(opcode: number, payload: Uint8Array): Promise<void> {
    return new Promise((resolve, reject) => {
      if (closing || ending !== undefined || !socket.writable) return reject(createError("the WebSocket connection is closed"));
      socket.write(encodeFrame(opcode, payload), (error) =>
        error ? reject(createError("the WebSocket connection failed", error)) : resolve(),
      );
    });
  }

  async function* messages(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        const message = received.shift();
        if (message !== undefined) {
          bufferedBytes -= message.length + MESSAGE_OVERHEAD_BYTES;
          if (bufferedBytes <= READ_AHEAD_BYTES && socket.isPaused()) socket.resume();
          yield message;
        } else if (ending === undefined) await new Promise<void>((resolve) => (resumeReader = resolve));
        else if ("error" in ending) throw ending.error;
        else return;
      }
    } finally {
      close();
    }
  }

  return { protocol, send: (message) => send(BINARY, message), messages, close };
}

/**
 * Delivers what a peer sent before it closed the connection while we were writing. The write fails while that data may be unread in the
 * kernel, and Node destroys a socket whose write failed without reading it. The socket is destroyed later, and data that arrives after
 * the failure, which the stream no longer accepts, is passed to `take`.
 */
export function readAfterWriteError(socket: Duplex, take: (chunk: Buffer) => void): void {
  const { push, destroy } = socket;
  socket.push = (chunk: Buffer | null, encoding) => {
    if (chunk !== null && socket.errored !== null) take(chunk);
    return push.call(socket, chunk, encoding);
  };
  socket.destroy = (error?: NodeJS.ErrnoException) => {
    if (error?.syscall !== "write") return destroy.call(socket, error);
    // The event loop may have polled the socket before the failure; the second iteration certainly polls after it.
    setImmediate(() => setImmediate(() => destroy.call(socket, error)));
    return socket;
  };
}
