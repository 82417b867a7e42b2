import type { DuplexChannel } from "pintle/client";
import type { ContainerSessionOptions } from "../../node/index.ts";
import { encodeStatus } from "./final-status.ts";
import { parseTerminalSize, type RemoteClient, type RemoteInputHandler } from "./remote-client.ts";

const STDIN = 0;
const STDOUT = 1;
const STDERR = 2;
const ERROR = 3;
const RESIZE = 4;
/** The next byte is the channel that was closed. */
const CLOSE = 255;

export const V5 = "v5.channel.k8s.io";
/** The protocol versions over WebSocket; a client without a version gets the oldest. */
export const WEB_SOCKET_PROTOCOLS = [
  V5,
  "v4.channel.k8s.io",
  "v4.base64.channel.k8s.io",
  "channel.k8s.io",
  "base64.channel.k8s.io",
  "",
] as const;

/** Creates a client over a WebSocket. The first byte of each message is its channel. */
export function createWebSocketClient(channel: DuplexChannel, { stdout, stderr }: ContainerSessionOptions): RemoteClient {
  const { protocol } = channel;
  const isBase64 = protocol.includes("base64");
  const isStructured = protocol.startsWith("v4.") || protocol === V5;
  const send = (channelNumber: number, data: Uint8Array) =>
    channel.send(isBase64 ? encodeBase64(channelNumber, data) : Buffer.concat([Buffer.of(channelNumber), data]));
  // An empty message signals that the connection is established.
  const greeting = send(stdout ? STDOUT : stderr ? STDERR : ERROR, Buffer.alloc(0)).catch(() => {});

  async function handleMessage(message: Uint8Array, listener: RemoteInputHandler): Promise<void> {
    const channelNumber = isBase64 ? (message[0] ?? 0) - ZERO : message[0];
    const data = isBase64 ? Buffer.from(Buffer.from(message.subarray(1)).toString("latin1"), "base64") : message.subarray(1);
    if (channelNumber === STDIN && data.length > 0) await listener.input(data);
    else if (channelNumber === CLOSE && protocol === V5 && data[0] === STDIN) listener.endInput();
    const size = channelNumber === RESIZE ? parseTerminalSize(data) : undefined;
    if (size !== undefined) listener.resize(size);
  }

  return {
    async receive(listener) {
      try {
        for await (const message of channel.messages()) await handleMessage(message, listener);
      } catch {
        // The client disconnected.
      }
    },
    write: (output, chunk) => send(output === "stdout" ? STDOUT : STDERR, chunk),
    async finish(status) {
      await greeting;
      const bytes = encodeStatus(status, isStructured);
      try {
        if (bytes.length > 0) await send(ERROR, bytes);
      } finally {
        channel.close();
      }
    },
  };
}

const ZERO = 0x30;

function encodeBase64(channelNumber: number, data: Uint8Array): Uint8Array {
  return Buffer.from(String.fromCharCode(ZERO + channelNumber) + Buffer.from(data).toString("base64"));
}
