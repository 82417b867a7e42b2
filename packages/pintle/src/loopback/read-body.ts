import type { Readable } from "node:stream";

/** The body of a request exceeds the limit of its listener. */
export class BodyTooLarge extends Error {
  override readonly name = "BodyTooLarge";
  readonly limit: number;
  constructor(limit: number) {
    super(`the body is larger than ${limit} bytes`);
    this.limit = limit;
  }
}

/**
 * Reads a body into one buffer. Throws `BodyTooLarge` as soon as it exceeds the limit; the rest is not read. Each chunk is passed to
 * `reserve` before it is kept, which returns whether there is room for it: for a limit that several requests share.
 */
export function readBoundedBody(from: Readable, limit: number, reserve: (bytes: number) => boolean = () => true): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const take = (chunk: Buffer) => {
      length += chunk.length;
      if (length <= limit && reserve(chunk.length)) return void chunks.push(chunk);
      chunks.length = 0;
      from.off("data", take).pause();
      reject(new BodyTooLarge(limit));
    };
    from.on("data", take);
    from.once("end", () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)));
    from.once("error", reject);
    from.once("close", () => reject(new Error("the request was aborted")));
  });
}
