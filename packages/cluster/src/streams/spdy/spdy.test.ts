import { Duplex } from "node:stream";
import { constants, createDeflate, createInflate } from "node:zlib";
import { describe, expect, test } from "vitest";
import { createEmptyBlockWriter, createHeaderReader, DICTIONARY } from "./header-block.ts";
import { createSpdyConnection } from "./spdy-connection.ts";
import {
  createFrameReader,
  encodeControlFrame,
  encodeDataFrame,
  PING,
  RST_STREAM,
  type SpdyFrame,
  SYN_REPLY,
  SYN_STREAM,
} from "./spdy-frames.ts";

const number = (value: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};

/** Compresses header blocks as a client does: one zlib stream per connection, flushed after each block. */
function headerWriter() {
  const deflate = createDeflate({ dictionary: DICTIONARY });
  return async (headers: Readonly<Record<string, string>>) => {
    const parts = Object.entries(headers).flatMap(([name, value]) =>
      [name, value].flatMap((each) => [number(each.length), Buffer.from(each)]),
    );
    const chunks: Buffer[] = [];
    const take = (chunk: Buffer) => chunks.push(chunk);
    deflate.on("data", take);
    deflate.write(Buffer.concat([number(Object.keys(headers).length), ...parts]));
    await new Promise<void>((resolve) => deflate.flush(constants.Z_SYNC_FLUSH, () => resolve()));
    deflate.off("data", take);
    return Buffer.concat(chunks);
  };
}

describe("header blocks", () => {
  test("use the dictionary of the SPDY draft", async () => {
    expect(DICTIONARY.length).toBe(1423);
    const write = headerWriter();
    expect((await write({ host: "a" })).subarray(2, 6).toString("hex")).toBe("e3c6a7c2");
  });

  test("are decompressed in order with a shared state", async () => {
    const [write, { read, close }] = [headerWriter(), createHeaderReader()];
    for (const headers of [{ streamtype: "error" }, { streamtype: "data", port: "80", requestid: "0" }, {}]) {
      expect(await read(await write(headers))).toEqual(new Map(Object.entries(headers)));
    }
    close();
  });

  test("are readable by zlib without headers", async () => {
    const empty = createEmptyBlockWriter();
    const inflate = createInflate({ dictionary: DICTIONARY });
    const output: Buffer[] = [];
    inflate.on("data", (chunk: Buffer) => output.push(chunk));
    for (let i = 0; i < 3; i++) await new Promise<void>((resolve) => inflate.write(empty(), () => resolve()));
    expect(Buffer.concat(output)).toEqual(Buffer.alloc(12));
    inflate.destroy();
  });

  test("are refused if they are malformed", async () => {
    await expect(createHeaderReader().read(Buffer.from("nonsense"))).rejects.toThrow();
  });
});

describe("frames", () => {
  test("are parsed as a whole and byte by byte", () => {
    const written = Buffer.concat([
      encodeDataFrame(1, Buffer.from("hello")),
      encodeControlFrame(PING, 7),
      encodeDataFrame(1, Buffer.alloc(0), true),
    ]);
    const expected: SpdyFrame[] = [
      { type: "data", stream: 1, last: false, payload: Buffer.from("hello") },
      { type: "control", kind: PING, flags: 0, payload: number(7) },
      { type: "data", stream: 1, last: true, payload: Buffer.alloc(0) },
    ];
    expect([...createFrameReader()(written)]).toEqual(expected);
    const read = createFrameReader();
    expect([...written].flatMap((byte) => [...read(Buffer.of(byte))])).toEqual(expected);
  });
});

describe("a connection", () => {
  function client() {
    const sent: SpdyFrame[] = [];
    const read = createFrameReader();
    const wire = new Duplex({
      read() {},
      write(chunk: Buffer, _encoding, done) {
        sent.push(...read(chunk));
        done();
      },
    });
    return { wire, sent, receive: (bytes: Uint8Array) => wire.push(bytes), hangUp: () => wire.push(null) };
  }
  const open = (stream: number, block: Uint8Array) => encodeControlFrame(SYN_STREAM, stream, 0, Buffer.alloc(2), block);

  test("accepts streams, transfers both ways, closes each side separately and responds to pings", async () => {
    const { wire, sent, receive, hangUp: disconnect } = client();
    const write = headerWriter();
    receive(
      Buffer.concat([
        open(1, await write({ streamtype: "stdin" })),
        encodeControlFrame(PING, 1),
        encodeDataFrame(1, Buffer.from("in"), true),
      ]),
    );
    for await (const stream of createSpdyConnection(wire).streams()) {
      expect(stream.headers.get("streamtype")).toBe("stdin");
      const received: string[] = [];
      const reading = (async () => {
        for await (const chunk of stream.chunks) received.push(Buffer.from(chunk).toString());
        await stream.write(Buffer.from(`heard ${received.join()}`));
        stream.end();
        disconnect();
      })();
      void reading;
    }
    const frames = sent.map((frame) => (frame.type === "data" ? `${frame.stream} ${frame.payload}${frame.last ? "." : ""}` : frame.kind));
    expect(frames.slice(0, 4)).toEqual([SYN_REPLY, PING, "1 heard in", "1 ."]);
  });

  test("ends a stream that the client resets, and all when it disconnects", async () => {
    const { wire, receive, hangUp: disconnect } = client();
    const write = headerWriter();
    receive(Buffer.concat([open(1, await write({ a: "1" })), open(3, await write({ a: "3" })), encodeControlFrame(RST_STREAM, 1, 5)]));
    const ends: Promise<void>[] = [];
    for await (const { chunks } of createSpdyConnection(wire).streams()) {
      ends.push(
        (async () => {
          for await (const _ of chunks);
        })(),
      );
      if (ends.length === 2) void ends[0]!.then(disconnect);
    }
    await Promise.all(ends);
  });
});
