import type { ApiAnswer } from "./request.ts";

/** Nothing is served at this path. The one refusal that is plain text: it comes from Go's own router. */
export class PageNotFound extends Error {
  override readonly name = "PageNotFound";
}

export const pageNotFound: ApiAnswer = {
  status: 404,
  headers: { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" },
  body: { type: "bytes", bytes: Buffer.from("404 page not found\n") },
};
