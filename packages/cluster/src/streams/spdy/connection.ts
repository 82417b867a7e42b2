import type { Duplex } from "node:stream";
import { lingering } from "../../api/index.ts";
import { controlFrame, dataFrame, FIN, frameReader, GOAWAY, PING, RST_STREAM, type SpdyFrame, SYN_REPLY, SYN_STREAM } from "./frames.ts";
import { emptyBlocks, headerReader, type SpdyHeaders } from "./header-block.ts";
import { type SpdyStream, type StreamState, spdyStream } from "./stream.ts";

const CANCEL = 5;
const NOTHING = new Uint8Array();

export interface SpdyConnection {
  /** What the client opens, accepted, until it is over. */
  streams(): AsyncIterable<SpdyStream>;
  /** Says goodbye after all that was written. */
  close(): void;
}

/**
 * The server's end of SPDY/3.1 as the streams of Kubernetes speak it: the client opens streams, each with headers, and both
 * sides send on them. There is no flow control but that of the connection: what nobody takes holds up the rest.
 */
export function spdyConnection(wire: Duplex): SpdyConnection {
  const read = frameReader();
  const headers = headerReader();
  const empty = emptyBlocks();
  const open = new Map<number, StreamState>();
  let latest = 0;
  let closed = false;

  const send = (bytes: Uint8Array) =>
    new Promise<void>((resolve, reject) => {
      if (closed || !wire.writable) return reject(new Error("the client has gone"));
      wire.write(bytes, (error) => (error ? reject(error) : resolve()));
    });
  const sendAnyway = (bytes: Uint8Array) => void send(bytes).catch(() => {});

  function accept(stream: number, given: SpdyHeaders, flags: number): SpdyStream {
    latest = stream;
    sendAnyway(controlFrame(SYN_REPLY, stream, empty()));
    const state = spdyStream(given, {
      write: (chunk) => send(dataFrame(stream, chunk)),
      end: () => sendAnyway(dataFrame(stream, NOTHING, true)),
      reset() {
        open.delete(stream);
        sendAnyway(controlFrame(RST_STREAM, stream, CANCEL));
      },
    });
    if ((flags & FIN) !== 0) state.finish();
    else open.set(stream, state);
    return state.stream;
  }

  async function onData({ stream, payload, last }: Extract<SpdyFrame, { type: "data" }>): Promise<void> {
    const state = open.get(stream);
    // Copied: it may wait longer than the chunk it is a part of.
    if (payload.length > 0) await state?.push(Buffer.from(payload));
    if (!last) return;
    state?.finish();
    open.delete(stream);
  }

  async function* streams(): AsyncGenerator<SpdyStream> {
    try {
      for await (const chunk of wire) {
        for (const frame of read(chunk as Buffer)) {
          if (frame.type === "data") await onData(frame);
          else if (closed) continue;
          else if (frame.kind === PING) sendAnyway(controlFrame(PING, frame.payload));
          else if (frame.kind === RST_STREAM) {
            const stream = frame.payload.readUInt32BE(0);
            open.get(stream)?.drop();
            open.delete(stream);
          } else if (frame.kind === SYN_STREAM) {
            const stream = frame.payload.readUInt32BE(0);
            yield accept(stream, await headers.read(frame.payload.subarray(10)), frame.flags);
          }
        }
      }
    } catch {
      // Whatever broke it, the client is gone.
    } finally {
      headers.close();
      close();
    }
  }

  function close(): void {
    if (closed) return;
    sendAnyway(controlFrame(GOAWAY, latest, 0));
    closed = true;
    for (const state of open.values()) state.drop();
    lingering(wire);
  }

  return { streams, close };
}
