import type { ApiResponse } from "../request/api-request.ts";

/** Nothing is served at this path. The only error in plain text: Go's own router sends it. */
export class PathNotFound extends Error {
  override readonly name = "PageNotFound";
}

export const pathNotFoundResponse: ApiResponse = {
  status: 404,
  headers: { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" },
  body: { type: "bytes", bytes: Buffer.from("404 page not found\n") },
};
