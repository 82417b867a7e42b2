import type { Readable } from "node:stream";
import { ApiError } from "../../status/index.ts";

/** As much as kube-apiserver takes. */
const LIMIT = 3 * 1024 * 1024;

/** The whole body; throws 413 when it is too long, and whatever the connection throws. */
export function readBody(from: Readable): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    from.on("data", (chunk: Buffer) => {
      length += chunk.length;
      if (length <= LIMIT) chunks.push(chunk);
    });
    from.once("end", () => {
      if (length > LIMIT) reject(new ApiError(413, "RequestEntityTooLarge", `Request entity too large: limit is ${LIMIT}`));
      else resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks));
    });
    from.once("error", reject);
    from.once("close", () => {
      if (!from.readableEnded) reject(new Error("the client went away before its request was complete"));
    });
  });
}
