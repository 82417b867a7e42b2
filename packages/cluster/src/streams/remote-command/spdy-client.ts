import { ignoreError, runInBackground } from "pintle/internal/errors";
import type { ContainerSessionOptions } from "../../node/index.ts";
import type { SpdyConnection } from "../spdy/spdy-connection.ts";
import type { SpdyStream } from "../spdy/spdy-stream.ts";
import { encodeStatus } from "./final-status.ts";
import { parseTerminalSize, type RemoteClient, type RemoteInputHandler } from "./remote-client.ts";

const V4 = "v4.channel.k8s.io";
const V3 = "v3.channel.k8s.io";
/** The protocol versions over SPDY. */
export const SPDY_PROTOCOLS = [V4, V3, "v2.channel.k8s.io", "channel.k8s.io"] as const;

/**
 * Creates a client over SPDY, with one stream each for stdin, stdout, stderr, errors and resize events, identified by a header. The client
 * opens them one by one: writes wait for their stream, and `finish` waits for all of them.
 */
export function createSpdyClient(connection: SpdyConnection, protocol: string, options: ContainerSessionOptions): RemoteClient {
  const { stdin, stdout, stderr, tty } = options;
  const hasResize = tty && (protocol === V4 || protocol === V3);
  const expected = Object.entries({ error: true, stdin, stdout, stderr, resize: hasResize }).flatMap(([name, wanted]) =>
    wanted ? [name] : [],
  );
  const streams = new Map<string, SpdyStream>();
  const waiters = new Map<string, (stream: SpdyStream) => void>();
  let disconnect = () => {};
  const disconnected = new Promise<never>((_, reject) => {
    disconnect = () => reject(new Error("the client disconnected"));
  });
  runInBackground(disconnected, ignoreError);

  const getStream = async (name: string): Promise<SpdyStream> =>
    streams.get(name) ?? Promise.race([disconnected, new Promise<SpdyStream>((resolve) => waiters.set(name, resolve))]);

  async function input({ chunks }: SpdyStream, listener: RemoteInputHandler): Promise<void> {
    for await (const chunk of chunks) await listener.input(chunk);
    listener.endInput();
  }
  async function sizes({ chunks }: SpdyStream, listener: RemoteInputHandler): Promise<void> {
    for await (const chunk of chunks) {
      const size = parseTerminalSize(chunk);
      if (size !== undefined) listener.resize(size);
    }
  }
  async function discard({ chunks }: SpdyStream): Promise<void> {
    for await (const _ of chunks);
  }

  return {
    async receive(listener) {
      for await (const stream of connection.streams()) {
        const name = stream.headers.get("streamtype") ?? "";
        streams.set(name, stream);
        waiters.get(name)?.(stream);
        const reading = name === "stdin" ? input(stream, listener) : name === "resize" ? sizes(stream, listener) : discard(stream);
        runInBackground(reading, ignoreError);
      }
      disconnect();
    },
    write: async (output, chunk) => (await getStream(output)).write(chunk),
    async finish(status) {
      try {
        await Promise.all(expected.map(getStream));
        const error = await getStream("error");
        const bytes = encodeStatus(status, protocol === V4);
        if (bytes.length > 0) await error.write(bytes);
        for (const stream of streams.values()) stream.end();
      } finally {
        connection.close();
      }
    },
  };
}
