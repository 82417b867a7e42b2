import { quoteGoString } from "pintle/internal/go-format";
import { ApiError, forbidden } from "../../status/index.ts";
import type { NonResourceRequest, ResourceRequest } from "./request-info.ts";
import type { UserInfo } from "./user.ts";

/**
 * Decides whether a user may make a request. Called once per request, and again for an update that creates. Decides at once, from policy in
 * memory, so that CEL expressions can ask it while they are evaluated.
 */
export interface Authorizer {
  authorize(attributes: AuthorizationAttributes): AuthorizationDecision;
}
export interface AuthorizationAttributes {
  readonly user: UserInfo;
  readonly info: NonResourceRequest | ResourceAttributes;
}
/** The attributes of a resource request that authorization needs; the verb may be one that no request has: "impersonate", "bind". */
export interface ResourceAttributes
  extends Pick<ResourceRequest, "type" | "group" | "namespace" | "resource" | "subresource" | "name" | "fieldSelector"> {
  readonly verb: string;
}
export interface AuthorizationDecision {
  readonly allowed: boolean;
  readonly reason?: string | undefined;
}

/** Throws 403 unless the authorizer allows the request. */
export function checkAuthorized(authorizer: Authorizer, attributes: AuthorizationAttributes): void {
  const { allowed, reason } = authorizer.authorize(attributes);
  if (!allowed) throw buildForbiddenError(attributes, reason);
}

export function buildForbiddenError({ user, info }: AuthorizationAttributes, reason?: string | undefined): ApiError {
  const why = reason === undefined || reason === "" ? "" : `: ${escapeHtml(reason)}`;
  const quoted = quoteGoString(user.name);
  if (info.type === "path") {
    const message = `forbidden: User ${quoted} cannot ${info.verb} path ${quoteGoString(info.path)}`;
    return new ApiError(403, "Forbidden", escapeHtml(message) + why, {});
  }
  const resource = info.subresource === "" ? info.resource : `${info.resource}/${info.subresource}`;
  const where = info.namespace === "" ? "at the cluster scope" : `in the namespace ${quoteGoString(info.namespace)}`;
  const text = `User ${quoted} cannot ${info.verb} resource ${quoteGoString(resource)} in API group ${quoteGoString(info.group)} ${where}`;
  return forbidden({ group: info.group, resource: info.resource }, info.name, escapeHtml(text) + why);
}

/** Escapes characters that a browser could read as HTML. */
function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
