import { Duplex } from "node:stream";
import type { KindFacts } from "../kinds/index.ts";
import type { PlainRef } from "./core.ts";
import { ConnectionError } from "./errors.ts";
import { openChannel } from "./open-channel.ts";
import type { CallOptions } from "./options.ts";
import { pathOf, subjectOf } from "./path.ts";
import type { ForwardedPort } from "./pod.ts";
import type { Channel, Transport } from "./transport.ts";

const DATA = 0;
/** Each stream begins with the port's number in two bytes. */
const PREAMBLE = 2;

/**
 * One connection to a port of a pod, over a WebSocket with v4.channel.k8s.io: the protocol kubelets serve natively and
 * API servers pass through. It has no half-close: ending the stream ends both directions.
 */
export function portForward(transport: Transport) {
  return async (kind: KindFacts, ref: PlainRef, port: number, options: CallOptions = {}): Promise<ForwardedPort> => {
    if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new TypeError(`${subjectOf(kind, ref)}: ${port} is not a port`);
    const path = pathOf(kind, { namespace: ref.namespace, name: ref.name, subresource: "portforward" });
    const channel = await openChannel(transport, {
      path,
      query: { ports: String(port) },
      protocols: ["v4.channel.k8s.io"],
      signal: options.signal,
    });
    const refused = (why: string) =>
      new ConnectionError({ message: `${subjectOf(kind, ref)}, port ${port}: ${why} (GET ${path})`, request: `GET ${path}` }, true);
    return duplexOver(channel, refused);
  };
}

function duplexOver(channel: Channel, refused: (why: string) => Error): Duplex {
  let more: (() => void) | undefined;
  const stream = new Duplex({
    allowHalfOpen: false,
    read() {
      more?.();
      more = undefined;
    },
    write(chunk: Buffer, _encoding, done) {
      const framed = Buffer.allocUnsafe(chunk.length + 1);
      framed[0] = DATA;
      chunk.copy(framed, 1);
      channel.send(framed).then(() => done(), done);
    },
    final(done) {
      channel.close();
      done();
    },
    destroy(error, done) {
      channel.close();
      more?.();
      done(error);
    },
  });
  void receive(channel, stream, refused, () => new Promise<void>((resolve) => (more = resolve)));
  return stream;
}

async function receive(channel: Channel, stream: Duplex, refused: (why: string) => Error, drained: () => Promise<void>): Promise<void> {
  const skip: [number, number] = [PREAMBLE, PREAMBLE];
  try {
    for await (const message of channel.messages()) {
      const which = message[0] === DATA ? 0 : 1;
      const skipped = Math.min(skip[which], message.length - 1);
      skip[which] -= skipped;
      const data = message.subarray(1 + skipped);
      if (data.length === 0) continue;
      if (which === 1) throw refused(Buffer.from(data).toString());
      if (!stream.push(data) && !stream.destroyed) await drained();
    }
    stream.push(null);
  } catch (error) {
    stream.destroy(error as Error);
  }
}
