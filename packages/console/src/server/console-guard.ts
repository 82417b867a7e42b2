import { createRequestGuard, type GuardedRequest, type RequestRefusal } from "pintle/internal/loopback";
import { WRITE_HEADER } from "../protocol.ts";

/**
 * Creates the check of every request of a loopback listener, before anything is read from it:
 *
 * - the Host is exactly one of the listener's own names with its port, so that a DNS name that was rebound to 127.0.0.1 is refused;
 * - Origin, if there is one, is that of the page;
 * - Sec-Fetch-Site is "same-origin", except for plain navigations to the page, which get no data;
 * - what writes has a header that a page of another origin can only send after asking, and no request that asks is answered.
 */
export function createConsoleGuard(port: number): (request: GuardedRequest) => RequestRefusal | undefined {
  const checkRequest = createRequestGuard({ host: "127.0.0.1" });
  const hosts = new Set([`127.0.0.1:${port}`, `localhost:${port}`]);
  return function checkConsoleRequest(request) {
    const { method = "GET", url = "/", headers } = request;
    if (!hosts.has((headers.host ?? "").toLowerCase()))
      return forbidden(`Host ${JSON.stringify(headers.host ?? "")} is not the console: open the URL that pintle printed`);
    const { "sec-fetch-site": site, ...rest } = headers;
    const isNavigation = headers["sec-fetch-mode"] === "navigate" && method === "GET" && !url.startsWith("/api");
    const refusal = checkRequest(isNavigation ? { ...request, headers: rest } : request);
    if (refusal !== undefined) return refusal;
    if (site !== undefined && site !== "same-origin" && !isNavigation) return forbidden("only the page of the console may use it");
    if (method !== "GET" && method !== "HEAD" && headers[WRITE_HEADER] !== "1") return forbidden(`the header ${WRITE_HEADER} is missing`);
    return undefined;
  };
}

const forbidden = (message: string): RequestRefusal => ({ status: 403, message });
