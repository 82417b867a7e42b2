import type { RequestContext } from "../request-context.ts";

/** Replaces the user by the one that the Impersonate-* headers name. Throws 403. Reads `request`, `requestInfo`; writes `user`. */
export async function impersonate(context: RequestContext): Promise<RequestContext> {
  const { server, request, user, requestInfo } = context;
  if (server.impersonator !== undefined) context.user = await server.impersonator({ headers: request.headers, user }, requestInfo);
  return context;
}
