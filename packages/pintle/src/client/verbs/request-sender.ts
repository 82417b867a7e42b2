import { formatTraceparent, getActiveSpan, setSpanAttribute, traceSpan } from "../../telemetry/index.ts";
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
    const response = await sendInSpan(transport, request);
    const header = response.headers["warning"];
    if (header !== undefined) for (const text of parseWarningHeader(header)) warn({ text, request: formatRequestLine(request) });
    if (response.status >= 200 && response.status < 300) return response;
    throw await errorFromResponse(response, { request: formatRequestLine(request), subject });
  };
}

/** Sends a request that is part of a trace in a span of its own, whose id the API server receives. Others, such as watches of a cache, have none. */
function sendInSpan(transport: Transport, request: TransportRequest): Promise<TransportResponse> {
  if (getActiveSpan() === undefined) return transport.request(request);
  const { method, path } = request;
  const attributes = { "http.request.method": method, "url.path": path };
  return traceSpan(`${method} ${path}`, { kind: "client", attributes }, async (span) => {
    if (span === undefined) return transport.request(request);
    const response = await transport.request({ ...request, headers: { ...request.headers, traceparent: formatTraceparent(span) } });
    setSpanAttribute("http.response.status_code", response.status);
    return response;
  });
}
