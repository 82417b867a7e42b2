import { createHash, randomBytes } from "node:crypto";
import type { Duplex } from "node:stream";
import { ConnectionError } from "../errors.ts";
import { onAbort } from "../on-abort.ts";
import type { Channel } from "../transport.ts";
import { BINARY, CLOSE, CONTINUATION, encodeFrame, frameDecoder, PING, PONG, TEXT } from "./frames.ts";
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

/** The WebSocket that speaks over a socket after its handshake. */
export function webSocket(socket: Duplex, protocol: string, asked: Asked, signal: AbortSignal | undefined): Channel {
  let closing = false;
  const broken = (why: string, cause?: unknown) =>
    new ConnectionError({ message: `${asked.server}: ${why} (${asked.request})`, request: asked.request, cause }, true);

  function close(): void {
    if (closing) return;
    closing = true;
    forget?.();
    socket.end(encodeFrame(CLOSE, NORMAL));
    // Whatever the other side still has to say is read by nobody.
    socket.resume();
  }
  const forget = signal && onAbort(signal, () => socket.destroy(signal.reason));
  socket.on("error", () => {});

  function send(opcode: number, payload: Uint8Array): Promise<void> {
    return new Promise((resolve, reject) => {
      if (closing || socket.destroyed || !socket.writable) return reject(broken("the two-way connection is closed"));
      socket.write(encodeFrame(opcode, payload), (error) => (error ? reject(broken("the two-way connection broke", error)) : resolve()));
    });
  }

  async function* messages(): AsyncGenerator<Uint8Array> {
    const decode = frameDecoder();
    let parts: Buffer[] = [];
    try {
      for await (const chunk of socket) {
        for (const { opcode, payload, last } of decode(chunk as Buffer)) {
          if (opcode === CLOSE) return;
          if (opcode === PING) await send(PONG, payload);
          if (opcode !== TEXT && opcode !== BINARY && opcode !== CONTINUATION) continue;
          parts.push(payload);
          if (!last) continue;
          yield parts.length === 1 ? payload : Buffer.concat(parts);
          parts = [];
        }
      }
      if (!closing) throw new Error("it ended without a goodbye");
    } catch (error) {
      signal?.throwIfAborted();
      throw error instanceof ConnectionError ? error : broken(`the two-way connection broke: ${(error as Error).message}`, error);
    } finally {
      close();
    }
  }

  return { protocol, send: (message) => send(BINARY, message), messages, close };
}
