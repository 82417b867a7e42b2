import zlib from "node:zlib";

export type ContentEncoding = "gzip" | "zstd";

/** Whether this Node can compress with zstd: from 22.15 on. */
export const HAS_ZSTD = "createZstdCompress" in zlib;

/** Content below this size is not compressed. */
export const MIN_COMPRESSED_BYTES = 1024;

/** The encoding for a response, by the Accept-Encoding header: the one with the higher quality, zstd if they are equal. */
export function selectEncoding(method: string, accepted: string | undefined, hasZstd = HAS_ZSTD): ContentEncoding | undefined {
  if (method === "HEAD" || accepted === undefined || accepted === "") return undefined;
  const gzip = readQuality(accepted, "gzip");
  const zstd = hasZstd ? readQuality(accepted, "zstd") : 0;
  if (gzip <= 0 && zstd <= 0) return undefined;
  return zstd >= gzip ? "zstd" : "gzip";
}

function readQuality(header: string, wanted: string): number {
  for (const part of header.split(",")) {
    const [name = "", ...parameters] = part.split(";").map((text) => text.trim());
    if (name.toLowerCase() !== wanted) continue;
    const quality = parameters.findLast((text) => /^q=/i.test(text))?.slice(2);
    if (quality === undefined) return 1;
    const value = /^[\d.+-][\d.eE+-]*$/.test(quality) ? Number(quality) : Number.NaN;
    return Number.isNaN(value) ? 0 : Math.min(Math.max(value, 0), 1);
  }
  return 0;
}

/** A stream that compresses, at a level that keeps up with a network. */
export function createCompressor(encoding: ContentEncoding): zlib.Gzip {
  if (encoding === "gzip") return zlib.createGzip({ level: 1, chunkSize: 1 << 16 });
  return (zlib as unknown as { createZstdCompress(): zlib.Gzip }).createZstdCompress();
}
