import { createHash, randomBytes } from "node:crypto";
import type { Duplex } from "node:stream";
import { ConnectionError } from "../errors.ts";
import { onAbort } from "../on-abort.ts";
import type { Channel } from "../transport.ts";
import { BINARY, CLOSE, CONTINUATION, encodeFrame, frameDecoder, PING, PONG, TEXT } from "./frames.ts";
import { lastWords } from "./last-words.ts";
import type { Asked } from "./lost.ts";

const GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
const NORMAL = Buffer.from([0x03, 0xe8]);

/** What a handshake asks for. */
export interface Handshake {
  readonly headers: Readonly<Record<string, string>>;
  /** Whether the server's answer belongs to it. */
  accepted(headers: Readonly<Record<string, string | readonly string[] | undefined>>): boolean;
}

export function handshake(protocols: readonly string[]): Handshake {
  const key = randomBytes(16).toString("base64");
  const expected = createHash("sha1")
    .update(key + GUID)
    .digest("base64");
  return {
    headers: { "sec-websocket-key": key, "sec-websocket-version": "13", "sec-websocket-protocol": protocols.join(", ") },
    accepted: (headers) => headers["sec-websocket-accept"] === expected && protocols.includes(String(headers["sec-websocket-protocol"])),
  };
}

/** More than this waits on the other side until what came before is taken. */
const READ_AHEAD = 1 << 20;

/** The WebSocket that speaks over a socket after its handshake. */
export function webSocket(socket: Duplex, protocol: string, asked: Asked, signal: AbortSignal | undefined): Channel {
  const decode = frameDecoder();
  const arrived: Uint8Array[] = [];
  let waiting = 0;
  let parts: Buffer[] = [];
  let over: { readonly error?: unknown } | undefined;
  let wake = () => {};
  let closing = false;
  const broken = (why: string, cause?: unknown) =>
    new ConnectionError({ message: `${asked.server}: ${why} (${asked.request})`, request: asked.request, cause }, true);

  const finish = (how: { readonly error?: unknown }) => {
    over ??= how;
    wake();
  };
  const fail = (why: string, cause?: unknown) =>
    finish(closing ? {} : { error: signal?.aborted ? signal.reason : broken(`the two-way connection broke: ${why}`, cause) });
  const forget = signal && onAbort(signal, () => socket.destroy(signal.reason));

  // Taken off the socket at once, whoever reads it when: what Node has not handed out goes with the socket.
  function take(chunk: Buffer): void {
    for (const { opcode, payload, last } of decode(chunk)) {
      if (opcode === CLOSE) finish({});
      if (opcode === PING) void send(PONG, payload).catch(() => {});
      if (opcode !== TEXT && opcode !== BINARY && opcode !== CONTINUATION) continue;
      parts.push(payload);
      if (!last) continue;
      arrived.push(parts.length === 1 ? payload : Buffer.concat(parts));
      waiting += arrived.at(-1)!.length;
      parts = [];
    }
    if (waiting > READ_AHEAD && !closing) socket.pause();
    wake();
  }
  lastWords(socket, take);
  socket.on("data", take);
  socket.on("error", (error) => fail(error.message, error));
  socket.on("end", () => fail("it ended without a goodbye"));
  socket.on("close", () => fail("it ended without a goodbye"));
  // It was paused while it changed hands.
  socket.resume();

  // Whoever had the socket before may have paused it.
  socket.resume();

  function close(): void {
    if (closing) return;
    closing = true;
    forget?.();
    socket.end(encodeFrame(CLOSE, NORMAL));
    // Whatever the other side still has to say is read by nobody.
    socket.resume();
  }

  function send(opcode: number, payload: Uint8Array): Promise<void> {
    return new Promise((resolve, reject) => {
      if (closing || over !== undefined || !socket.writable) return reject(broken("the two-way connection is closed"));
      socket.write(encodeFrame(opcode, payload), (error) => (error ? reject(broken("the two-way connection broke", error)) : resolve()));
    });
  }

  async function* messages(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        const message = arrived.shift();
        if (message !== undefined) {
          waiting -= message.length;
          if (waiting <= READ_AHEAD && socket.isPaused()) socket.resume();
          yield message;
        } else if (over === undefined) await new Promise<void>((resolve) => (wake = resolve));
        else if ("error" in over) throw over.error;
        else return;
      }
    } finally {
      close();
    }
  }

  return { protocol, send: (message) => send(BINARY, message), messages, close };
}
