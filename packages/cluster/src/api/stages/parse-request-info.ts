import { buildRequestInfo } from "../request/request-info.ts";
import type { RequestContext } from "../request-context.ts";

/** Parses method, path and query into verb, resource and name. Reads `request`; writes `requestInfo`. */
export function parseRequestInfo(context: RequestContext): RequestContext {
  context.requestInfo = buildRequestInfo(context.request);
  return context;
}
