import type { JsonObject } from "pintle/kinds";
import { timestamp, type UserInfo } from "../../api/index.ts";
import { badRequest } from "../../status/index.ts";
import type { Authenticator } from "../tokens/authenticator.ts";
import type { Ask } from "./question.ts";

/** Whose token is this? */
export function tokenReview(authenticator: Authenticator): Ask {
  return async (question) => {
    const { token, audiences = [] } = (question["spec"] ?? {}) as { readonly token?: string; readonly audiences?: readonly string[] };
    if (!token) throw badRequest("token is required for TokenReview in authentication");
    const reviewed = await authenticator.review(token, audiences);
    if (reviewed.type === "good") {
      return { ...question, status: { authenticated: true, user: userInfo(reviewed.user), audiences: reviewed.audiences } };
    }
    const why = reviewed.why === undefined ? "invalid bearer token" : `[invalid bearer token, ${reviewed.why}]`;
    return { ...question, status: { user: {}, error: why } };
  };
}

/** Who am I? */
export const selfSubjectReview: Ask = async ({ apiVersion, kind }, { user, now }) => {
  return { apiVersion, kind, metadata: { creationTimestamp: timestamp(now) }, status: { userInfo: userInfo(user) } } as JsonObject;
};

function userInfo({ name, uid, groups, extra }: UserInfo): JsonObject {
  return {
    username: name,
    ...(uid ? { uid } : {}),
    ...(groups.length === 0 ? {} : { groups }),
    ...(extra === undefined || Object.keys(extra).length === 0 ? {} : { extra }),
  } as JsonObject;
}
