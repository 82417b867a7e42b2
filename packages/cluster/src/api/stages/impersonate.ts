import type { RequestContext } from "../request-context.ts";

/** Replaces the user by the one that the Impersonate-* headers name. Throws 403. Reads `request`, `requestInfo`; writes `user`, `impersonationConstraint`. */
export async function impersonate(context: RequestContext): Promise<RequestContext> {
  const { server, request, user, requestInfo } = context;
  if (server.impersonator === undefined) return context;
  const impersonation = await server.impersonator({ headers: request.headers, user }, requestInfo);
  context.user = impersonation.user;
  context.impersonationConstraint = impersonation.constraint;
  return context;
}
