import { createInflate } from "node:zlib";
import { DICTIONARY } from "./dictionary.ts";

export type SpdyHeaders = ReadonlyMap<string, string>;

/** Nobody opens a stream with more than this to say about it. */
const LONGEST = 64 * 1024;

/** Reads the header blocks of one connection, in their order: each goes on where the one before left the compression. */
export function headerReader() {
  const inflate = createInflate({ dictionary: DICTIONARY });
  let gathered: Buffer[] = [];
  let length = 0;
  inflate.on("data", (part: Buffer) => {
    length += part.length;
    if (length > LONGEST) inflate.destroy(new Error("a block of headers is too long"));
    else gathered.push(part);
  });
  // Whoever waits for a block hears of it there.
  inflate.on("error", () => {});
  return {
    read: (block: Buffer) =>
      new Promise<SpdyHeaders>((resolve, reject) => {
        if (inflate.destroyed) return reject(new Error("headers after the end"));
        inflate.once("error", reject);
        inflate.write(block, (error) => {
          inflate.off("error", reject);
          if (error) return reject(error);
          const whole = Buffer.concat(gathered);
          gathered = [];
          length = 0;
          try {
            resolve(pairs(whole));
          } catch (unreadable) {
            reject(unreadable);
          }
        });
      }),
    close: () => inflate.destroy(),
  };
}

function pairs(block: Buffer): SpdyHeaders {
  let at = 4;
  const text = () => {
    const end = at + 4 + block.readUInt32BE(at);
    const part = block.toString("utf8", at + 4, end);
    at = end;
    return part;
  };
  const headers = new Map<string, string>();
  for (let left = block.readUInt32BE(0); left > 0; left--) headers.set(text(), text());
  return headers;
}

const NO_HEADERS = Buffer.alloc(4);
/** An empty block: without it some readers wait for what comes next before they give out what came. */
const FLUSH = Buffer.from([0, 0, 0, 0xff, 0xff]);

/**
 * Blocks without any header, all that a server has to send: stored, not compressed, so that no compressor has to be kept. The
 * first begins the stream, which names the dictionary by its checksum.
 */
export function emptyBlocks() {
  let begun = false;
  return (): Buffer => {
    const stored = Buffer.concat([Buffer.from([0, 4, 0, 0xfb, 0xff]), NO_HEADERS, FLUSH]);
    if (begun) return stored;
    begun = true;
    return Buffer.concat([Buffer.from([0x78, 0x20, 0xe3, 0xc6, 0xa7, 0xc2]), stored]);
  };
}
