import type { Duplex } from "node:stream";
import type { Channel } from "pintle/client";
import { lingering } from "../../api/index.ts";
import { badRequest } from "../../status/index.ts";
import { carry, type Dial, whyNot } from "./forwarding.ts";

export const WEB_SOCKET_PROTOCOLS = ["v4.channel.k8s.io", "v4.base64.channel.k8s.io", ""] as const;

/** The ports that a request names, each of which gets two streams. */
export function portsOf(given: readonly string[]): readonly number[] {
  if (given.length === 0) throw badRequest('query parameter "port" is required');
  return given
    .flatMap((each) => each.split(","))
    .map((each) => {
      const port = Number(each);
      if (!/^\d+$/.test(each) || port > 65_535) throw badRequest(`unable to parse ${JSON.stringify(each)} as a port`);
      if (port < 1) throw badRequest(`port ${JSON.stringify(each)} must be > 0`);
      return port;
    });
}

const ZERO = 0x30;

/** One connection for each port, from the start: two streams each, the first of bytes, the second of what goes wrong. */
export async function webSocketPortForward(channel: Channel, ports: readonly number[], dial: Dial): Promise<void> {
  const coded = channel.protocol.includes("base64");
  const send = (lane: number, data: Uint8Array) =>
    channel.send(
      coded ? Buffer.from(String.fromCharCode(ZERO + lane) + Buffer.from(data).toString("base64")) : Buffer.concat([Buffer.of(lane), data]),
    );
  const inputs = ports.map(() => input());
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
      await carry({ chunks: inputs[index]!.chunks(), write: (chunk) => send(data, chunk), end: () => {} }, target);
    } catch (reason) {
      await send(error, Buffer.from(whyNot(reason))).catch(() => {});
    }
  };
  const forwarded = Promise.all(ports.map(forward)).finally(() => channel.close());
  try {
    for await (const message of channel.messages()) {
      const lane = coded ? (message[0] ?? 0) - ZERO : (message[0] ?? 0);
      const chunk = coded ? Buffer.from(Buffer.from(message.subarray(1)).toString("latin1"), "base64") : message.subarray(1);
      if (lane % 2 === 0 && chunk.length > 0) await inputs[lane / 2]?.push(chunk);
    }
  } catch {
    // Gone is gone.
  }
  // There is no half-close: the client has gone. What it has said still reaches the targets.
  for (const each of inputs) each.end();
  for (const target of targets) lingering(target);
  await forwarded;
}

/** Chunks from the one who hears to the one who writes, one at a time. */
function input() {
  let next: { readonly chunk: Uint8Array; taken(): void } | undefined;
  let over = false;
  let wake = () => {};
  return {
    push: (chunk: Uint8Array) =>
      new Promise<void>((taken) => {
        if (over) return taken();
        next = { chunk, taken };
        wake();
      }),
    end() {
      over = true;
      next?.taken();
      wake();
    },
    async *chunks(): AsyncGenerator<Uint8Array> {
      try {
        for (;;) {
          if (next !== undefined) {
            const { chunk, taken } = next;
            next = undefined;
            yield chunk;
            taken();
          } else if (over) return;
          else await new Promise<void>((resolve) => (wake = resolve));
        }
      } finally {
        over = true;
        next?.taken();
      }
    },
  };
}
