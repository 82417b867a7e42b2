import { parseGoDuration } from "pintle/internal/go-format";
import { badRequest } from "../../status/index.ts";
import { getQueryParameter } from "../request/api-request.ts";
import { checkAuthorized } from "../request/authorizer.ts";
import type { RequestContext } from "../request-context.ts";

/** Asks the authorizer whether the user may make the request. Throws 403. Reads `user`, `requestInfo`, `request`. */
export function authorize(context: RequestContext): RequestContext {
  const { server, user, requestInfo, request } = context;
  checkAuthorized(server.authorizer, { user, info: requestInfo });
  if (request.query.has("timeout")) checkTimeoutParameter(getQueryParameter(request.query, "timeout"));
  return context;
}

/** Parses a duration as Go does. Its value has no effect: no request takes that long. */
function checkTimeoutParameter(text: string): void {
  const parsed = text === "" ? undefined : parseGoDuration(text);
  if (parsed !== undefined && "error" in parsed) throw badRequest(`invalid timeout specified in the request URL - ${parsed.error}`);
}
