import type { Duplex } from "node:stream";
import type { DuplexChannel } from "pintle/client";
import { endWithLinger } from "../../api/index.ts";
import { badRequest } from "../../status/index.ts";
import { type DialFunction, forwardStream, getErrorMessage } from "./forward-stream.ts";

export const WEB_SOCKET_PROTOCOLS = ["v4.channel.k8s.io", "v4.base64.channel.k8s.io", ""] as const;

/** Parses the ports of a request, each of which gets two channels. */
export function parsePorts(values: readonly string[]): readonly number[] {
  if (values.length === 0) throw badRequest('query parameter "port" is required');
  return values
    .flatMap((each) => each.split(","))
    .map((each) => {
      const port = Number(each);
      if (!/^\d+$/.test(each) || port > 65_535) throw badRequest(`unable to parse ${JSON.stringify(each)} as a port`);
      if (port < 1) throw badRequest(`port ${JSON.stringify(each)} must be > 0`);
      return port;
    });
}

const ZERO = 0x30;

/** Serves a WebSocket: one connection per port, opened at once, with two channels each, for data and errors. */
export async function serveWebSocketPortForward(channel: DuplexChannel, ports: readonly number[], dial: DialFunction): Promise<void> {
  const isBase64 = channel.protocol.includes("base64");
  const send = (channelNumber: number, data: Uint8Array) =>
    channel.send(
      isBase64
        ? Buffer.from(String.fromCharCode(ZERO + channelNumber) + Buffer.from(data).toString("base64"))
        : Buffer.concat([Buffer.of(channelNumber), data]),
    );
  const inputs = ports.map(() => createInput());
  const targets: Duplex[] = [];
  const forward = async (port: number, index: number) => {
    const [data, error] = [2 * index, 2 * index + 1];
    const number = Buffer.alloc(2);
    number.writeUInt16LE(port);
    try {
      await send(data, number);
      await send(error, number);
      const target = await dial(port);
      targets.push(target);
      await forwardStream({ chunks: inputs[index]!.chunks(), write: (chunk) => send(data, chunk), end: () => {} }, target);
    } catch (reason) {
      await send(error, Buffer.from(getErrorMessage(reason))).catch(() => {});
    }
  };
  const forwarded = Promise.all(ports.map(forward)).finally(() => channel.close());
  try {
    for await (const message of channel.messages()) {
      const channelNumber = isBase64 ? (message[0] ?? 0) - ZERO : (message[0] ?? 0);
      const chunk = isBase64 ? Buffer.from(Buffer.from(message.subarray(1)).toString("latin1"), "base64") : message.subarray(1);
      if (channelNumber % 2 === 0 && chunk.length > 0) await inputs[channelNumber / 2]?.push(chunk);
    }
  } catch {
    // The client disconnected.
  }
  // There is no half-close: the client is gone. Data that it has sent still reaches the targets.
  for (const each of inputs) each.end();
  for (const target of targets) endWithLinger(target);
  await forwarded;
}

/** Creates an input buffer of a single chunk: `push` resolves when the chunk is consumed. */
function createInput() {
  let next: { readonly chunk: Uint8Array; taken(): void } | undefined;
  let isEnded = false;
  let notify = () => {};
  return {
    push: (chunk: Uint8Array) =>
      new Promise<void>((taken) => {
        if (isEnded) return taken();
        next = { chunk, taken };
        notify();
      }),
    end() {
      isEnded = true;
      next?.taken();
      notify();
    },
    async *chunks(): AsyncGenerator<Uint8Array> {
      try {
        for (;;) {
          if (next !== undefined) {
            const { chunk, taken } = next;
            next = undefined;
            yield chunk;
            taken();
          } else if (isEnded) return;
          else await new Promise<void>((resolve) => (notify = resolve));
        }
      } finally {
        isEnded = true;
        next?.taken();
      }
    },
  };
}
