import type { Channel } from "pintle/client";
import type { SessionOptions } from "../../node/index.ts";
import { type Listener, type RemoteEnd, sizeOf } from "./remote-end.ts";
import { statusBytes } from "./status.ts";

const STDIN = 0;
const STDOUT = 1;
const STDERR = 2;
const ERROR = 3;
const RESIZE = 4;
/** The next byte names the stream that has ended. */
const CLOSE = 255;

export const V5 = "v5.channel.k8s.io";
/** By which names a command's streams are spoken over a WebSocket; a client without a wish gets the oldest. */
export const WEB_SOCKET_PROTOCOLS = [
  V5,
  "v4.channel.k8s.io",
  "v4.base64.channel.k8s.io",
  "channel.k8s.io",
  "base64.channel.k8s.io",
  "",
] as const;

/** Each message begins with a byte that names its stream. */
export function webSocketEnd(channel: Channel, { stdout, stderr }: SessionOptions): RemoteEnd {
  const { protocol } = channel;
  const coded = protocol.includes("base64");
  const structured = protocol.startsWith("v4.") || protocol === V5;
  const send = (lane: number, data: Uint8Array) => channel.send(coded ? encoded(lane, data) : Buffer.concat([Buffer.of(lane), data]));
  // Whoever waits to know that the connection stands sees it by a message without content.
  const greeted = send(stdout ? STDOUT : stderr ? STDERR : ERROR, Buffer.alloc(0)).catch(() => {});

  async function told(message: Uint8Array, listener: Listener): Promise<void> {
    const lane = coded ? (message[0] ?? 0) - ZERO : message[0];
    const data = coded ? Buffer.from(Buffer.from(message.subarray(1)).toString("latin1"), "base64") : message.subarray(1);
    if (lane === STDIN && data.length > 0) await listener.input(data);
    else if (lane === CLOSE && protocol === V5 && data[0] === STDIN) listener.endInput();
    const size = lane === RESIZE ? sizeOf(data) : undefined;
    if (size !== undefined) listener.resize(size);
  }

  return {
    async hear(listener) {
      try {
        for await (const message of channel.messages()) await told(message, listener);
      } catch {
        // Gone is gone, whatever the reason.
      }
    },
    write: (output, chunk) => send(output === "stdout" ? STDOUT : STDERR, chunk),
    async finish(status) {
      await greeted;
      const said = statusBytes(status, structured);
      try {
        if (said.length > 0) await send(ERROR, said);
      } finally {
        channel.close();
      }
    },
  };
}

const ZERO = 0x30;

function encoded(lane: number, data: Uint8Array): Uint8Array {
  return Buffer.from(String.fromCharCode(ZERO + lane) + Buffer.from(data).toString("base64"));
}
