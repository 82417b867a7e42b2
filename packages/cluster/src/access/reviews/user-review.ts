import type { JsonObject } from "pintle/kinds";
import { formatTimestamp, type UserInfo } from "../../api/index.ts";
import { badRequest } from "../../status/index.ts";
import type { TokenReviewer } from "../tokens/token-reviewer.ts";
import type { ReviewHandler } from "./review-handler.ts";

/** Creates the handler of TokenReview. */
export function createTokenReviewHandler(authenticator: TokenReviewer): ReviewHandler {
  return async (question) => {
    const { token, audiences = [] } = (question["spec"] ?? {}) as { readonly token?: string; readonly audiences?: readonly string[] };
    if (!token) throw badRequest("token is required for TokenReview in authentication");
    const reviewed = await authenticator.review(token, audiences);
    if (reviewed.type === "good") {
      return { ...question, status: { authenticated: true, user: toUserInfoJson(reviewed.user), audiences: reviewed.audiences } };
    }
    const reason = reviewed.reason === undefined ? "invalid bearer token" : `[invalid bearer token, ${reviewed.reason}]`;
    return { ...question, status: { user: {}, error: reason } };
  };
}

/** Handles SelfSubjectReview. */
export const reviewSelfSubject: ReviewHandler = async ({ apiVersion, kind }, { user, now }) => {
  return {
    apiVersion,
    kind,
    metadata: { creationTimestamp: formatTimestamp(now) },
    status: { userInfo: toUserInfoJson(user) },
  } as JsonObject;
};

function toUserInfoJson({ name, uid, groups, extra }: UserInfo): JsonObject {
  return {
    username: name,
    ...(uid ? { uid } : {}),
    ...(groups.length === 0 ? {} : { groups }),
    ...(extra === undefined || Object.keys(extra).length === 0 ? {} : { extra }),
  } as JsonObject;
}
