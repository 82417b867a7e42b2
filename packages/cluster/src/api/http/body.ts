import type { Readable } from "node:stream";
import { ApiError } from "../../status/index.ts";

/** As much as kube-apiserver takes. */
const LIMIT = 3 * 1024 * 1024;
/** So much of what is too long is still read, for the sake of clients that look for an answer only after sending all. */
const PATIENCE = 16 * 1024 * 1024;

/** The whole body; throws 413 as soon as it is too long, and whatever the connection throws. */
export function readBody(from: Readable): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    from.on("data", (chunk: Buffer) => {
      length += chunk.length;
      if (length <= LIMIT) chunks.push(chunk);
      else {
        chunks.length = 0;
        reject(new ApiError(413, "RequestEntityTooLarge", `Request entity too large: limit is ${LIMIT}`));
        if (length > PATIENCE) from.destroy();
      }
    });
    from.once("end", () => {
      resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks));
    });
    from.once("error", reject);
    from.once("close", () => {
      if (!from.readableEnded) reject(new Error("the client went away before its request was complete"));
    });
  });
}
