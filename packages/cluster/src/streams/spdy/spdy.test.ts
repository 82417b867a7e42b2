import { Duplex } from "node:stream";
import { constants, createDeflate, createInflate } from "node:zlib";
import { describe, expect, test } from "vitest";
import { spdyConnection } from "./connection.ts";
import { DICTIONARY } from "./dictionary.ts";
import { controlFrame, dataFrame, frameReader, PING, RST_STREAM, type SpdyFrame, SYN_REPLY, SYN_STREAM } from "./frames.ts";
import { emptyBlocks, headerReader } from "./header-block.ts";

const number = (value: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};

/** Blocks as a client compresses them: one stream for the whole connection, flushed after each. */
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
  test("are compressed against the dictionary of the draft", async () => {
    expect(DICTIONARY.length).toBe(1423);
    const write = headerWriter();
    expect((await write({ host: "a" })).subarray(2, 6).toString("hex")).toBe("e3c6a7c2");
  });

  test("are read one after the other, each by what came before", async () => {
    const [write, { read, close }] = [headerWriter(), headerReader()];
    for (const headers of [{ streamtype: "error" }, { streamtype: "data", port: "80", requestid: "0" }, {}]) {
      expect(await read(await write(headers))).toEqual(new Map(Object.entries(headers)));
    }
    close();
  });

  test("without headers can be read by any zlib, again and again", async () => {
    const empty = emptyBlocks();
    const inflate = createInflate({ dictionary: DICTIONARY });
    const seen: Buffer[] = [];
    inflate.on("data", (chunk: Buffer) => seen.push(chunk));
    for (let i = 0; i < 3; i++) await new Promise<void>((resolve) => inflate.write(empty(), () => resolve()));
    expect(Buffer.concat(seen)).toEqual(Buffer.alloc(12));
    inflate.destroy();
  });

  test("that are broken are refused", async () => {
    await expect(headerReader().read(Buffer.from("nonsense"))).rejects.toThrow();
  });
});

describe("frames", () => {
  test("are cut as they were written, whole and byte by byte", () => {
    const written = Buffer.concat([dataFrame(1, Buffer.from("hello")), controlFrame(PING, 7), dataFrame(1, Buffer.alloc(0), true)]);
    const expected: SpdyFrame[] = [
      { type: "data", stream: 1, last: false, payload: Buffer.from("hello") },
      { type: "control", kind: PING, flags: 0, payload: number(7) },
      { type: "data", stream: 1, last: true, payload: Buffer.alloc(0) },
    ];
    expect([...frameReader()(written)]).toEqual(expected);
    const read = frameReader();
    expect([...written].flatMap((byte) => [...read(Buffer.of(byte))])).toEqual(expected);
  });
});

describe("a connection", () => {
  function client() {
    const sent: SpdyFrame[] = [];
    const read = frameReader();
    const wire = new Duplex({
      read() {},
      write(chunk: Buffer, _encoding, done) {
        sent.push(...read(chunk));
        done();
      },
    });
    return { wire, sent, say: (bytes: Uint8Array) => wire.push(bytes), hangUp: () => wire.push(null) };
  }
  const open = (stream: number, block: Uint8Array) => controlFrame(SYN_STREAM, stream, 0, Buffer.alloc(2), block);

  test("accepts streams, carries both ways, ends each side by itself, and answers pings", async () => {
    const { wire, sent, say, hangUp } = client();
    const write = headerWriter();
    say(Buffer.concat([open(1, await write({ streamtype: "stdin" })), controlFrame(PING, 1), dataFrame(1, Buffer.from("in"), true)]));
    for await (const stream of spdyConnection(wire).streams()) {
      expect(stream.headers.get("streamtype")).toBe("stdin");
      const heard: string[] = [];
      const hearing = (async () => {
        for await (const chunk of stream.chunks) heard.push(Buffer.from(chunk).toString());
        await stream.write(Buffer.from(`heard ${heard.join()}`));
        stream.end();
        hangUp();
      })();
      void hearing;
    }
    const told = sent.map((frame) => (frame.type === "data" ? `${frame.stream} ${frame.payload}${frame.last ? "." : ""}` : frame.kind));
    expect(told.slice(0, 4)).toEqual([SYN_REPLY, PING, "1 heard in", "1 ."]);
  });

  test("lets go of a stream that the client gives up, and of all when it goes", async () => {
    const { wire, say, hangUp } = client();
    const write = headerWriter();
    say(Buffer.concat([open(1, await write({ a: "1" })), open(3, await write({ a: "3" })), controlFrame(RST_STREAM, 1, 5)]));
    const ends: Promise<void>[] = [];
    for await (const { chunks } of spdyConnection(wire).streams()) {
      ends.push(
        (async () => {
          for await (const _ of chunks);
        })(),
      );
      if (ends.length === 2) void ends[0]!.then(hangUp);
    }
    await Promise.all(ends);
  });
});
