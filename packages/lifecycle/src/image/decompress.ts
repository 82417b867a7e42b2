import zlib from "node:zlib";
import { PintleError } from "pintle/internal/errors";
import { ZstdFrameGuard } from "./zstd-frames.ts";

/** The decompressor in JavaScript moves its window for every block, so a large one would cost minutes. */
const MAX_WINDOW_IN_JS = 32 << 20;

/** Decompresses the chunks of a layer. Which compression it has is in its first bytes, whatever the manifest says, as container tools do it. */
export async function* decompressChunks(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const iterator = chunks[Symbol.asyncIterator]();
  try {
    let head: Uint8Array = Buffer.alloc(0);
    while (head.length < 4) {
      const { value, done } = await iterator.next();
      if (done === true) break;
      head = head.length === 0 ? value : Buffer.concat([head, value]);
    }
    const all = (async function* () {
      if (head.length > 0) yield head;
      for (;;) {
        const { value, done } = await iterator.next();
        if (done === true) return;
        yield value;
      }
    })();
    if (head[0] === 0x1f && head[1] === 0x8b) yield* runDecompressor(all, zlib.createGunzip(), "gzip");
    else if (isZstd(head)) yield* decompressZstd(all);
    else yield* all;
  } finally {
    await iterator.return?.();
  }
}

function isZstd(head: Uint8Array): boolean {
  const magic = head.length < 4 ? 0 : Buffer.from(head.buffer, head.byteOffset, 4).readUInt32LE(0);
  return magic === 0xfd2fb528 || (magic & 0xfffffff0) >>> 0 === 0x184d2a50;
}

/** Feeds a stream of Node, and returns what it emits. All chunks are read, also those behind the end of the data: their digest is checked at their end. */
async function* runDecompressor(chunks: AsyncIterable<Uint8Array>, stream: zlib.Gunzip, format: string): AsyncGenerator<Uint8Array> {
  let failure: unknown;
  let isAbandoned = false;
  const feeding = (async () => {
    try {
      for await (const chunk of chunks) {
        if (isAbandoned) return;
        if (stream.destroyed || stream.writableFinished || stream.write(chunk)) continue;
        await new Promise<void>((resolve) => {
          const done = () => {
            for (const event of ["drain", "close", "error"]) stream.off(event, done);
            resolve();
          };
          for (const event of ["drain", "close", "error"]) stream.on(event, done);
        });
      }
      stream.end();
    } catch (error) {
      failure = error;
      stream.destroy(error as Error);
    }
  })();
  try {
    yield* stream as AsyncIterable<Buffer>;
    await feeding;
    if (failure !== undefined) throw failure;
  } catch (error) {
    if (failure !== undefined) throw failure;
    throw new PintleError("PINTLE8031", `the layer is not valid ${format}: ${(error as Error).message}`);
  } finally {
    isAbandoned = true;
    stream.destroy();
    await feeding;
  }
}

async function* decompressZstd(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const native = (zlib as unknown as { readonly createZstdDecompress?: () => zlib.Gunzip }).createZstdDecompress;
  const guard = new ZstdFrameGuard(native === undefined ? MAX_WINDOW_IN_JS : undefined);
  const guarded = (async function* () {
    for await (const chunk of chunks) {
      guard.push(chunk);
      yield chunk;
    }
    if (!guard.isComplete) throw new PintleError("PINTLE8031", "the layer is not valid zstd: it ends too early");
  })();
  if (native !== undefined) return yield* runDecompressor(guarded, native(), "zstd");
  const { Decompress } = await import("fzstd");
  const ready: Uint8Array[] = [];
  // The window is reused, so what is emitted is copied.
  const decompressor = new Decompress((chunk) => void (chunk.length > 0 && ready.push(chunk)));
  for await (const chunk of guarded) {
    // In small pieces: a piece of equal blocks becomes much more than it was.
    for (let at = 0; at < chunk.length; at += ZSTD_PIECE) {
      try {
        decompressor.push(chunk.subarray(at, at + ZSTD_PIECE));
      } catch (error) {
        throw new PintleError("PINTLE8031", `the layer is not valid zstd: ${(error as Error).message}`);
      }
      yield* ready.splice(0);
    }
  }
}
/** 64 blocks at most, of 128 KiB each: 8 MiB. */
const ZSTD_PIECE = 256;
