import { Duplex } from "node:stream";
import type { Channel } from "pintle/client";

/** What SPDY inside a WebSocket is called. */
export const TUNNELLED = "SPDY/3.1+portforward.k8s.io";

/** The bytes that the messages of a WebSocket carry, as a connection of its own. */
export function wireOver(channel: Channel): Duplex {
  let more: (() => void) | undefined;
  const wire = new Duplex({
    read() {
      more?.();
      more = undefined;
    },
    write(chunk: Buffer, _encoding, done) {
      channel.send(chunk).then(() => done(), done);
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
  void (async () => {
    try {
      for await (const message of channel.messages()) {
        if (!wire.push(message) && !wire.destroyed) await new Promise<void>((resolve) => (more = resolve));
      }
    } catch {
      // The end of the channel is the end of the wire, whatever the reason.
    }
    wire.push(null);
  })();
  return wire;
}
