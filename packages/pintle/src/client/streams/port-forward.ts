import { Duplex } from "node:stream";
import { InvalidArgumentError, runInBackground } from "../../errors/index.ts";
import type { KindInfo } from "../../kinds/index.ts";
import { ConnectionError } from "../errors/request-errors.ts";
import type { DuplexChannel, Transport } from "../transport.ts";
import type { RequestOptions } from "../verbs/options.ts";
import { formatPath, formatSubject } from "../verbs/path.ts";
import type { ForwardedPort } from "../verbs/pod-types.ts";
import type { NamespacedName } from "../verbs/request.ts";
import { openChannel } from "./open-channel.ts";

const DATA = 0;
/** Each stream begins with two bytes: the number of the port. */
const PREAMBLE = 2;

/**
 * Returns the verb that opens a connection to a port of a pod, over a WebSocket with v4.channel.k8s.io: the protocol that kubelets serve
 * and API servers pass through. It has no half-close: ending the stream ends both directions.
 */
export function createPortForwardVerb(transport: Transport) {
  return async (kind: KindInfo, ref: NamespacedName, port: number, options: RequestOptions = {}): Promise<ForwardedPort> => {
    if (!Number.isInteger(port) || port < 1 || port > 65_535)
      throw new InvalidArgumentError("PINTLE1056", `${formatSubject(kind, ref)}: ${port} is not a port`);
    const path = formatPath(kind, { namespace: ref.namespace, name: ref.name, subresource: "portforward" });
    const channel = await openChannel(transport, {
      path,
      query: { ports: String(port) },
      protocols: ["v4.channel.k8s.io"],
      signal: options.signal,
    });
    const createError = (why: string) =>
      new ConnectionError({ message: `${formatSubject(kind, ref)}, port ${port}: ${why} (GET ${path})`, request: `GET ${path}` }, true);
    return createDuplex(channel, createError);
  };
}

function createDuplex(channel: DuplexChannel, createError: (why: string) => Error): Duplex {
  let resumeReading: (() => void) | undefined;
  const stream = new Duplex({
    allowHalfOpen: false,
    read() {
      resumeReading?.();
      resumeReading = undefined;
    },
    write(chunk: Buffer, _encoding, done) {
      const framed = Buffer.allocUnsafe(chunk.length + 1);
      framed[0] = DATA;
      chunk.copy(framed, 1);
      const sent = channel.send(framed).then(() => done());
      runInBackground(sent, (error) => done(error as Error));
    },
    final(done) {
      channel.close();
      done();
    },
    destroy(error, done) {
      channel.close();
      resumeReading?.();
      done(error);
    },
  });
  runInBackground(pumpMessages(channel, stream, createError, () => new Promise<void>((resolve) => (resumeReading = resolve))));
  return stream;
}

async function pumpMessages(
  channel: DuplexChannel,
  stream: Duplex,
  createError: (why: string) => Error,
  waitForDrain: () => Promise<void>,
): Promise<void> {
  const toSkip: [number, number] = [PREAMBLE, PREAMBLE];
  try {
    for await (const message of channel.messages()) {
      const which = message[0] === DATA ? 0 : 1;
      const skipped = Math.min(toSkip[which], message.length - 1);
      toSkip[which] -= skipped;
      const data = message.subarray(1 + skipped);
      if (data.length === 0) continue;
      if (which === 1) throw createError(Buffer.from(data).toString());
      if (!stream.push(data) && !stream.destroyed) await waitForDrain();
    }
    stream.push(null);
  } catch (error) {
    stream.destroy(error as Error);
  }
}
