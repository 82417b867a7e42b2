import { ApiError } from "../../status/index.ts";
import type { ServedResource } from "../registry/served-resource.ts";
import type { ApiRequest } from "../request/api-request.ts";
import { getMediaType, unsupportedMediaTypeError } from "./request-body.ts";

export const APPLY_PATCH = "application/apply-patch+yaml";
export const JSON_PATCH = "application/json-patch+json";
export const MERGE_PATCH = "application/merge-patch+json";
export const STRATEGIC_MERGE_PATCH = "application/strategic-merge-patch+json";

/** Returns the Content-Type of a patch. Throws 415 for one that the resource does not accept. */
export function parsePatchType(request: ApiRequest, { typed }: Pick<ServedResource, "typed">): string {
  const accepted = typed ? [JSON_PATCH, MERGE_PATCH, STRATEGIC_MERGE_PATCH, APPLY_PATCH] : [JSON_PATCH, MERGE_PATCH, APPLY_PATCH];
  const type = getMediaType(request);
  if (!accepted.includes(type)) {
    throw typed ? new ApiError(415, "UnsupportedMediaType", "415: Unsupported Media Type", {}) : unsupportedMediaTypeError(accepted);
  }
  return type;
}
