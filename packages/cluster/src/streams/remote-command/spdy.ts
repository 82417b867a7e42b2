import type { SessionOptions } from "../../node/index.ts";
import type { SpdyConnection } from "../spdy/connection.ts";
import type { SpdyStream } from "../spdy/stream.ts";
import { type Listener, type RemoteEnd, sizeOf } from "./remote-end.ts";
import { statusBytes } from "./status.ts";

const V4 = "v4.channel.k8s.io";
const V3 = "v3.channel.k8s.io";
/** By which names a command's streams are spoken over SPDY. */
export const SPDY_PROTOCOLS = [V4, V3, "v2.channel.k8s.io", "channel.k8s.io"] as const;

/**
 * A stream each, which a header names. The client opens them one after the other, and whoever has something to say before that
 * waits: for one of them to say it, for all of them to hang up.
 */
export function spdyEnd(connection: SpdyConnection, protocol: string, options: SessionOptions): RemoteEnd {
  const { stdin, stdout, stderr, tty } = options;
  const sized = tty && (protocol === V4 || protocol === V3);
  const expected = Object.entries({ error: true, stdin, stdout, stderr, resize: sized }).flatMap(([name, wanted]) =>
    wanted ? [name] : [],
  );
  const streams = new Map<string, SpdyStream>();
  const awaited = new Map<string, (stream: SpdyStream) => void>();
  let leave = () => {};
  const gone = new Promise<never>((_, reject) => {
    leave = () => reject(new Error("the client has gone"));
  });
  gone.catch(() => {});

  const named = async (name: string): Promise<SpdyStream> =>
    streams.get(name) ?? Promise.race([gone, new Promise<SpdyStream>((resolve) => awaited.set(name, resolve))]);

  async function input({ chunks }: SpdyStream, listener: Listener): Promise<void> {
    for await (const chunk of chunks) await listener.input(chunk);
    listener.endInput();
  }
  async function sizes({ chunks }: SpdyStream, listener: Listener): Promise<void> {
    for await (const chunk of chunks) {
      const size = sizeOf(chunk);
      if (size !== undefined) listener.resize(size);
    }
  }
  async function ignored({ chunks }: SpdyStream): Promise<void> {
    for await (const _ of chunks);
  }

  return {
    async hear(listener) {
      for await (const stream of connection.streams()) {
        const name = stream.headers.get("streamtype") ?? "";
        streams.set(name, stream);
        awaited.get(name)?.(stream);
        const heard = name === "stdin" ? input(stream, listener) : name === "resize" ? sizes(stream, listener) : ignored(stream);
        heard.catch(() => {});
      }
      leave();
    },
    write: async (output, chunk) => (await named(output)).write(chunk),
    async finish(status) {
      try {
        await Promise.all(expected.map(named));
        const error = await named("error");
        const said = statusBytes(status, protocol === V4);
        if (said.length > 0) await error.write(said);
        for (const stream of streams.values()) stream.end();
      } finally {
        connection.close();
      }
    },
  };
}
