import { errorFromResponse, formatRequestLine } from "../errors/error-from-response.ts";
import type { Transport, TransportRequest, TransportResponse } from "../transport.ts";
import type { WarningHandler } from "./warnings.ts";
import { parseWarningHeader } from "./warnings.ts";

/** Sends a request and resolves to a successful response. Throws the `RequestError` of any other response. */
export type RequestSender = (request: TransportRequest, subject?: string) => Promise<TransportResponse>;

/** Returns a sender over a transport that passes warnings of the API server to `warn`. */
export function createRequestSender(transport: Transport, warn: WarningHandler): RequestSender {
  return async (request, subject) => {
    request.signal?.throwIfAborted();
    request.permit?.();
    const response = await transport.request(request);
    const header = response.headers["warning"];
    if (header !== undefined) for (const text of parseWarningHeader(header)) warn({ text, request: formatRequestLine(request) });
    if (response.status >= 200 && response.status < 300) return response;
    throw await errorFromResponse(response, { request: formatRequestLine(request), subject });
  };
}
