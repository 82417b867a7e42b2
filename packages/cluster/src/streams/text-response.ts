import type { ApiResponse } from "../api/index.ts";

export function buildTextResponse(status: number, text: string): ApiResponse {
  return { status, headers: { "content-type": "text/plain; charset=utf-8" }, body: { type: "bytes", bytes: Buffer.from(text) } };
}
