import type { Duplex } from "node:stream";
import type { Channel } from "pintle/client";
import { BINARY, CLOSE, CONTINUATION, closeFrame, frame, frameReader, PING, PONG, TEXT } from "./frames.ts";
import { lingering } from "./lingering.ts";

/** More than this waits on the client's side until what came before is taken. */
const READ_AHEAD = 1024 * 1024;

/** The server's end of a WebSocket over a connection whose handshake is done. */
export function messageChannel(socket: Duplex, protocol: string): Channel {
  const read = frameReader();
  // What is base64 for the sake of old browsers is text for them too.
  const opcode = protocol.includes("base64") ? TEXT : BINARY;
  const arrived: Buffer[] = [];
  let waiting = 0;
  let parts: Buffer[] = [];
  let over = false;
  let closed = false;
  let wake = () => {};

  const finish = () => {
    over = true;
    wake();
  };
  const take = (chunk: Buffer) => {
    for (const { opcode, payload, last } of read(chunk)) {
      if (opcode === CLOSE) finish();
      if (over) return;
      if (opcode === PING) socket.write(frame(PONG, payload));
      if (opcode !== TEXT && opcode !== BINARY && opcode !== CONTINUATION) continue;
      parts.push(payload);
      if (!last) continue;
      const message = Buffer.concat(parts);
      parts = [];
      arrived.push(message);
      waiting += message.length;
    }
    if (waiting > READ_AHEAD && !closed) socket.pause();
    wake();
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
    lingering(socket, closeFrame());
  }

  return {
    protocol,
    send: (message) =>
      new Promise((resolve, reject) => {
        if (closed || !socket.writable) return reject(new Error("the client has gone"));
        socket.write(frame(opcode, message), (error) => (error ? reject(error) : resolve()));
      }),
    async *messages() {
      try {
        for (;;) {
          const message = arrived.shift();
          if (message === undefined && over) return;
          if (message === undefined) await new Promise<void>((resolve) => (wake = resolve));
          else {
            waiting -= message.length;
            if (waiting <= READ_AHEAD && socket.isPaused()) socket.resume();
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
