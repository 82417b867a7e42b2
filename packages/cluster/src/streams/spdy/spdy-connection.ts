import type { Duplex } from "node:stream";
import { ignoreError, runInBackground } from "pintle/internal/errors";
import { endWithLinger } from "../../api/index.ts";
import { createEmptyBlockWriter, createHeaderReader, type SpdyHeaders } from "./header-block.ts";
import {
  createFrameReader,
  encodeControlFrame,
  encodeDataFrame,
  FIN,
  GOAWAY,
  PING,
  RST_STREAM,
  type SpdyFrame,
  SYN_REPLY,
  SYN_STREAM,
} from "./spdy-frames.ts";
import { createSpdyStream, type SpdyStream, type SpdyStreamState } from "./spdy-stream.ts";

const CANCEL = 5;
const EMPTY = new Uint8Array();
/** Streams of one connection: an exec has five, a port-forward two for each of its connections. */
const MAX_OPEN_STREAMS = 1000;
/** What is not read by a client before its pings stay unanswered. */
const MAX_UNREAD_BYTES = 1024 * 1024;

export interface SpdyConnection {
  /** Yields the streams that the client opens, until it disconnects. */
  streams(): AsyncIterable<SpdyStream>;
  /** Sends GOAWAY after all pending data, and closes. */
  close(): void;
}

/**
 * Creates the server side of SPDY/3.1 as Kubernetes uses it: the client opens streams with headers, and both sides send data. There is no
 * flow control apart from that of the connection: a stream that is not read blocks the others.
 */
export function createSpdyConnection(transport: Duplex): SpdyConnection {
  const read = createFrameReader();
  const headers = createHeaderReader();
  const empty = createEmptyBlockWriter();
  const open = new Map<number, SpdyStreamState>();
  let latest = 0;
  let closed = false;

  const send = (bytes: Uint8Array) =>
    new Promise<void>((resolve, reject) => {
      if (closed || !transport.writable) return reject(new Error("the client disconnected"));
      transport.write(bytes, (error) => (error ? reject(error) : resolve()));
    });
  const sendBestEffort = (bytes: Uint8Array) => runInBackground(send(bytes), ignoreError);

  function accept(stream: number, given: SpdyHeaders, flags: number): SpdyStream {
    latest = stream;
    sendBestEffort(encodeControlFrame(SYN_REPLY, stream, empty()));
    const state = createSpdyStream(given, {
      write: (chunk) => send(encodeDataFrame(stream, chunk)),
      end: () => sendBestEffort(encodeDataFrame(stream, EMPTY, true)),
      reset() {
        open.delete(stream);
        sendBestEffort(encodeControlFrame(RST_STREAM, stream, CANCEL));
      },
    });
    if ((flags & FIN) !== 0) state.endInput();
    else open.set(stream, state);
    return state.stream;
  }

  async function onData({ stream, payload, last }: Extract<SpdyFrame, { type: "data" }>): Promise<void> {
    const state = open.get(stream);
    // Copied: it may be retained longer than the chunk that contains it.
    if (payload.length > 0) await state?.push(Buffer.from(payload));
    if (!last) return;
    state?.endInput();
    open.delete(stream);
  }

  async function* streams(): AsyncGenerator<SpdyStream> {
    try {
      for await (const chunk of transport) {
        for (const frame of read(chunk as Buffer)) {
          if (frame.type === "data") await onData(frame);
          else if (closed) continue;
          else if (frame.kind === PING) {
            if (transport.writableLength <= MAX_UNREAD_BYTES) sendBestEffort(encodeControlFrame(PING, frame.payload));
          } else if (frame.kind === RST_STREAM) {
            const stream = frame.payload.readUInt32BE(0);
            open.get(stream)?.discard();
            open.delete(stream);
          } else if (frame.kind === SYN_STREAM) {
            const stream = frame.payload.readUInt32BE(0);
            if (open.size >= MAX_OPEN_STREAMS) throw new Error("too many streams");
            yield accept(stream, await headers.read(frame.payload.subarray(10)), frame.flags);
          }
        }
      }
    } catch {
      // Any error means that the client is gone.
    } finally {
      headers.close();
      close();
    }
  }

  function close(): void {
    if (closed) return;
    sendBestEffort(encodeControlFrame(GOAWAY, latest, 0));
    closed = true;
    for (const state of open.values()) state.discard();
    endWithLinger(transport);
  }

  return { streams, close };
}
