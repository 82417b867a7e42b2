import { Duplex } from "node:stream";
import { expect, test } from "vitest";
import { createMessageChannel } from "./message-channel.ts";

/** A connection to a client that reads nothing. */
class UnreadConnection extends Duplex {
  written = 0;
  override _read(): void {}
  override _write(chunk: Buffer): void {
    // The callback is never called: what follows is buffered.
    this.written += chunk.length;
  }
}

function encode(opcode: number, payload: Buffer, last = true): Buffer {
  const head = Buffer.alloc(payload.length < 126 ? 2 : 10);
  head[0] = (last ? 0x80 : 0) | opcode;
  head[1] = payload.length < 126 ? payload.length : 127;
  if (payload.length >= 126) head.writeBigUInt64BE(BigInt(payload.length), 2);
  return Buffer.concat([head, payload]);
}

test.each([
  ["a frame of 30 MB", [Buffer.from([0x82, 127, 0, 0, 0, 0, 0x02, 0, 0, 0])]],
  ["a ping of more than 125 bytes", [encode(9, Buffer.alloc(126))]],
  ["fragments of a message without an end", Array.from({ length: 100 }, () => encode(2, Buffer.alloc(64 * 1024), false))],
  ["empty fragments without an end", [Buffer.concat(Array.from({ length: 100_000 }, () => encode(0, Buffer.alloc(0), false)))]],
])("%s closes the connection", (_, chunks) => {
  const socket = new UnreadConnection();
  createMessageChannel(socket, "v5.channel.k8s.io");
  for (const chunk of chunks) socket.emit("data", chunk);
  expect(socket.destroyed).toBe(true);
});

test("a client that reads no pongs gets no more of them", () => {
  const socket = new UnreadConnection();
  createMessageChannel(socket, "v5.channel.k8s.io");
  const pings = Buffer.concat(Array.from({ length: 1000 }, () => encode(9, Buffer.alloc(100))));
  for (let n = 0; n < 100; n++) socket.emit("data", pings);
  expect(socket.writableLength).toBeLessThan(1.1 * 1024 * 1024);
});

test("reading pauses while messages wait, however short they are", async () => {
  const socket = new UnreadConnection();
  const channel = createMessageChannel(socket, "v5.channel.k8s.io");
  socket.emit("data", Buffer.concat(Array.from({ length: 20_000 }, () => encode(2, Buffer.alloc(1)))));
  expect(socket.isPaused()).toBe(true);
  let count = 0;
  for await (const _ of channel.messages()) if (++count === 20_000) break;
  expect(count).toBe(20_000);
});

test("a frame that comes in pieces is put together", async () => {
  const socket = new UnreadConnection();
  const channel = createMessageChannel(socket, "v5.channel.k8s.io");
  const frame = encode(2, Buffer.from("x".repeat(1000)));
  for (const byte of Buffer.concat([frame, frame])) socket.emit("data", Buffer.from([byte]));
  socket.emit("end");
  const messages: string[] = [];
  for await (const message of channel.messages()) messages.push(Buffer.from(message).toString());
  expect(messages).toEqual(["x".repeat(1000), "x".repeat(1000)]);
});
