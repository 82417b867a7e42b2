import { ApiError, forbidden, goQuote } from "../status/index.ts";
import type { PathRequest, ResourceRequest } from "./request-info.ts";
import type { UserInfo } from "./user.ts";

/** Who may do what. Asked once per request, and again for a write that turns out to create. */
export interface Authorizer {
  authorize(attributes: AccessAttributes): Promise<Decision>;
}
export interface AccessAttributes {
  readonly user: UserInfo;
  readonly info: PathRequest | ResourceAccess;
}
/** What of a request for a resource decides about it; the verb may be one that no request has: "impersonate", "bind". */
export interface ResourceAccess extends Pick<ResourceRequest, "type" | "group" | "namespace" | "resource" | "subresource" | "name"> {
  readonly verb: string;
}
export interface Decision {
  readonly allowed: boolean;
  readonly reason?: string | undefined;
}

/** Throws 403 unless it is allowed. */
export async function authorize(authorizer: Authorizer, attributes: AccessAttributes): Promise<void> {
  const { allowed, reason } = await authorizer.authorize(attributes);
  if (!allowed) throw denied(attributes, reason);
}

export function denied({ user, info }: AccessAttributes, reason?: string | undefined): ApiError {
  const why = reason === undefined || reason === "" ? "" : `: ${harmless(reason)}`;
  const quoted = goQuote(user.name);
  if (info.type === "path") {
    const message = `forbidden: User ${quoted} cannot ${info.verb} path ${goQuote(info.path)}`;
    return new ApiError(403, "Forbidden", harmless(message) + why, {});
  }
  const resource = info.subresource === "" ? info.resource : `${info.resource}/${info.subresource}`;
  const where = info.namespace === "" ? "at the cluster scope" : `in the namespace ${goQuote(info.namespace)}`;
  const text = `User ${quoted} cannot ${info.verb} resource ${goQuote(resource)} in API group ${goQuote(info.group)} ${where}`;
  return forbidden({ group: info.group, resource: info.resource }, info.name, harmless(text) + why);
}

/** Nothing that could pass for HTML. */
function harmless(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
