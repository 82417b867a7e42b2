import type { ApiAnswer } from "../api/index.ts";

export function textAnswer(status: number, text: string): ApiAnswer {
  return { status, headers: { "content-type": "text/plain; charset=utf-8" }, body: { type: "bytes", bytes: Buffer.from(text) } };
}
