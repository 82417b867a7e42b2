import { createInflate } from "node:zlib";

/** The SPDY/3 header dictionary: common HTTP header names, each preceded by its length, and common values. */
const NAMES =
  "options head post put delete trace accept accept-charset accept-encoding accept-language accept-ranges age allow authorization " +
  "cache-control connection content-base content-encoding content-language content-length content-location content-md5 content-range " +
  "content-type date etag expect expires from host if-match if-modified-since if-none-match if-range if-unmodified-since last-modified " +
  "location max-forwards pragma proxy-authenticate proxy-authorization range referer retry-after server te trailer transfer-encoding " +
  "upgrade user-agent vary via warning www-authenticate method get status 200_OK version HTTP/1.1 url public set-cookie keep-alive origin";
const VALUES =
  "100101201202205206300302303304305306307402405406407408409410411412413414415416417502504505" +
  "203 Non-Authoritative Information204 No Content301 Moved Permanently400 Bad Request401 Unauthorized403 Forbidden404 Not Found" +
  "500 Internal Server Error501 Not Implemented503 Service UnavailableJan Feb Mar Apr May Jun Jul Aug Sept Oct Nov Dec 00:00:00" +
  " Mon, Tue, Wed, Thu, Fri, Sat, Sun, GMTchunked,text/html,image/png,image/jpg,image/gif,application/xml,application/xhtml+xml," +
  "text/plain,text/javascript,publicprivatemax-age=gzip,deflate,sdchcharset=utf-8charset=iso-8859-1,utf-,*,enq=0.";

export const DICTIONARY: Buffer = Buffer.concat([...NAMES.split(" ").map(encodeName), Buffer.from(VALUES)]);

function encodeName(name: string): Buffer {
  const bytes = Buffer.from(`\0\0\0\0${name.replace("_", " ")}`);
  bytes.writeUInt32BE(bytes.length - 4);
  return bytes;
}

export type SpdyHeaders = ReadonlyMap<string, string>;

/** The maximal length of a decompressed header block. */
const MAX_BLOCK_LENGTH = 64 * 1024;

/** Creates a reader of the header blocks of one connection. They share one compression state and must be read in order. */
export function createHeaderReader() {
  const inflate = createInflate({ dictionary: DICTIONARY });
  let chunks: Buffer[] = [];
  let length = 0;
  inflate.on("data", (part: Buffer) => {
    length += part.length;
    if (length > MAX_BLOCK_LENGTH) inflate.destroy(new Error("header block too long"));
    else chunks.push(part);
  });
  // Reported to the pending read.
  inflate.on("error", () => {});
  return {
    read: (block: Buffer) =>
      new Promise<SpdyHeaders>((resolve, reject) => {
        if (inflate.destroyed) return reject(new Error("header block after the end of the connection"));
        inflate.once("error", reject);
        inflate.write(block, (error) => {
          inflate.off("error", reject);
          if (error) return reject(error);
          const decompressed = Buffer.concat(chunks);
          chunks = [];
          length = 0;
          try {
            resolve(parseHeaderBlock(decompressed));
          } catch (parseError) {
            reject(parseError);
          }
        });
      }),
    close: () => inflate.destroy(),
  };
}

/** Parses a decompressed header block. Throws an Error if it is cut off. */
export function parseHeaderBlock(block: Buffer): SpdyHeaders {
  let at = 0;
  const take = (length: number) => {
    if (length > block.length - at) throw new Error("header block is cut off");
    at += length;
    return at - length;
  };
  const readText = () => {
    const length = block.readUInt32BE(take(4));
    const start = take(length);
    return block.toString("utf8", start, start + length);
  };
  const headers = new Map<string, string>();
  for (let left = block.readUInt32BE(take(4)); left > 0; left--) headers.set(readText(), readText());
  return headers;
}

const NO_HEADERS = Buffer.alloc(4);
/** An empty deflate block, without which some readers wait for further input. */
const EMPTY_BLOCK = Buffer.from([0, 0, 0, 0xff, 0xff]);

/**
 * Creates a writer of header blocks without headers, the only ones a server sends. They are stored uncompressed, so that no compressor is
 * needed. The first one starts the zlib stream with the dictionary checksum.
 */
export function createEmptyBlockWriter() {
  let begun = false;
  return (): Buffer => {
    const stored = Buffer.concat([Buffer.from([0, 4, 0, 0xfb, 0xff]), NO_HEADERS, EMPTY_BLOCK]);
    if (begun) return stored;
    begun = true;
    return Buffer.concat([Buffer.from([0x78, 0x20, 0xe3, 0xc6, 0xa7, 0xc2]), stored]);
  };
}
