import type { ApiRequest } from "../request/api-request.ts";
import type { UserInfo } from "../request/user.ts";
import type { RequestContext } from "../request-context.ts";

/**
 * Finds out which user sent the request. In-process transports know it; the HTTP listeners read the client certificate or the
 * bearer token (`http/authenticate.ts`). Throws 401. Reads `request`; writes `user`.
 */
export function authenticate(context: RequestContext): RequestContext | Promise<RequestContext> {
  const { user } = context.request;
  if (typeof user !== "function") {
    context.user = user;
    return context;
  }
  return user().then((found) => {
    context.user = found;
    return context;
  });
}

/** Returns the user that sent a request. Throws 401. */
export async function resolveUser({ user }: Pick<ApiRequest, "user">): Promise<UserInfo> {
  return typeof user === "function" ? user() : user;
}
