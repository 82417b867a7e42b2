import { parseGoDuration } from "pintle/internal/go-format";
import { badRequest } from "../../status/index.ts";
import { getQueryParameter } from "../request/api-request.ts";
import { buildForbiddenError } from "../request/authorizer.ts";
import type { RequestContext } from "../request-context.ts";

/** Asks the authorizer whether the user may make the request. Throws 403. Reads `user`, `requestInfo`, `request`; writes `authorization`. */
export function authorize(context: RequestContext): RequestContext {
  const { server, user, requestInfo, request } = context;
  const attributes = { user, info: requestInfo };
  const decision = server.authorizer.authorize(attributes);
  context.authorization = decision;
  if (!decision.allowed) throw buildForbiddenError(attributes, decision.reason);
  if (request.query.has("timeout")) checkTimeoutParameter(getQueryParameter(request.query, "timeout"));
  return context;
}

/** Parses a duration as Go does. Its value has no effect: no request takes that long. */
function checkTimeoutParameter(text: string): void {
  const parsed = text === "" ? undefined : parseGoDuration(text);
  if (parsed !== undefined && "error" in parsed) throw badRequest(`invalid timeout specified in the request URL - ${parsed.error}`);
}
