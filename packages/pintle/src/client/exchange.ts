import { failureOf, requestLine } from "./failure.ts";
import type { Transport, TransportRequest, TransportResponse } from "./transport.ts";
import type { WarningSink } from "./warning.ts";
import { warningsOf } from "./warning.ts";

/** One request and its answer, or the error that the answer stands for. */
export type Exchange = (request: TransportRequest, subject?: string) => Promise<TransportResponse>;

export function exchange(transport: Transport, warn: WarningSink): Exchange {
  return async (request, subject) => {
    request.signal?.throwIfAborted();
    request.permit?.();
    const response = await transport.request(request);
    const header = response.headers["warning"];
    if (header !== undefined) for (const text of warningsOf(header)) warn({ text, request: requestLine(request) });
    if (response.status >= 200 && response.status < 300) return response;
    throw await failureOf(response, { request: requestLine(request), subject });
  };
}
