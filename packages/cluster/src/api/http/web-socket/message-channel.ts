import type { Duplex } from "node:stream";
import type { DuplexChannel } from "pintle/client";
import {
  BINARY,
  CLOSE,
  CONTINUATION,
  createFrameReader,
  encodeCloseFrame,
  encodeFrame,
  MAX_MESSAGE_BYTES,
  PING,
  PONG,
  TEXT,
} from "./frames.ts";
import { endWithLinger } from "./lingering-close.ts";

/** Reading from the socket pauses while more than this is buffered, in either direction. */
const MAX_BUFFERED_BYTES = 1024 * 1024;
/** What a fragment takes in memory, however short it is. */
const FRAGMENT_BYTES = 128;

/** Creates the server's end of a WebSocket over a connection whose handshake is done. */
export function createMessageChannel(socket: Duplex, protocol: string): DuplexChannel {
  const read = createFrameReader();
  // Base64 protocols, made for old browsers, use text frames.
  const opcode = protocol.includes("base64") ? TEXT : BINARY;
  /** Messages that wait, from `head` on: shifting long arrays takes linear time each. */
  let arrived: Buffer[] = [];
  let head = 0;
  let waiting = 0;
  let parts: Buffer[] = [];
  let partBytes = 0;
  let over = false;
  let closed = false;
  let notify = () => {};

  const finish = () => {
    over = true;
    notify();
  };
  const take = (chunk: Buffer) => {
    for (const { opcode, payload, last } of read(chunk)) {
      if (opcode === CLOSE) finish();
      if (over) return;
      // A client that reads no pongs gets no more of them.
      if (opcode === PING && socket.writableLength <= MAX_BUFFERED_BYTES) socket.write(encodeFrame(PONG, payload));
      if (opcode !== TEXT && opcode !== BINARY && opcode !== CONTINUATION) continue;
      parts.push(payload);
      partBytes += payload.length + FRAGMENT_BYTES;
      if (partBytes > MAX_MESSAGE_BYTES + FRAGMENT_BYTES) throw new Error("a message in fragments is too long");
      if (!last) continue;
      const message = parts.length === 1 ? payload : Buffer.concat(parts);
      parts = [];
      partBytes = 0;
      arrived.push(message);
      waiting += message.length + FRAGMENT_BYTES;
    }
    if (waiting > MAX_BUFFERED_BYTES && !closed) socket.pause();
    notify();
  };
  socket.on("data", (chunk: Buffer) => {
    if (closed) return;
    try {
      take(chunk);
    } catch {
      socket.destroy();
    }
  });
  socket.on("end", finish);
  socket.on("error", finish);
  socket.on("close", finish);

  function close(): void {
    if (closed) return;
    closed = true;
    finish();
    endWithLinger(socket, encodeCloseFrame());
  }

  return {
    protocol,
    send: (message) =>
      new Promise((resolve, reject) => {
        if (closed || !socket.writable) return reject(new Error("the client disconnected"));
        socket.write(encodeFrame(opcode, message), (error) => (error ? reject(error) : resolve()));
      }),
    async *messages() {
      try {
        for (;;) {
          const message = arrived[head];
          if (message === undefined && over) return;
          if (message === undefined) await new Promise<void>((resolve) => (notify = resolve));
          else {
            waiting -= message.length + FRAGMENT_BYTES;
            if (++head === arrived.length) {
              arrived = [];
              head = 0;
            }
            if (waiting <= MAX_BUFFERED_BYTES && socket.isPaused()) socket.resume();
            yield message;
          }
        }
      } finally {
        close();
      }
    },
    close,
  };
}
