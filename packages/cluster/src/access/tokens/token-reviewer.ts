import { AUTHENTICATED, type TokenAuthenticator, type UserInfo } from "../../api/index.ts";
import type { ServiceAccountTokens, TokenReviewResult } from "./service-account-tokens.ts";

/** Authenticates static tokens and service account tokens, for requests and TokenReviews. */
export interface TokenReviewer extends TokenAuthenticator {
  /** Reviews a token; without audiences, for this server. */
  review(token: string, audiences: readonly string[]): Promise<TokenReviewResult>;
}

export function createTokenReviewer(tokens: ServiceAccountTokens, fixed: Readonly<Record<string, UserInfo>>): TokenReviewer {
  const users = new Map(Object.entries(fixed).map(([token, user]) => [token, withAuthenticatedGroup(user)]));
  const review: TokenReviewer["review"] = async (token, audiences) => {
    const user = users.get(token);
    if (user === undefined) return tokens.review(token, audiences.length === 0 ? tokens.audiences : audiences);
    // Static tokens have no audiences: they are meant for this server.
    const matchingAudiences = audiences.length === 0 ? tokens.audiences : audiences.filter((each) => tokens.audiences.includes(each));
    return matchingAudiences.length === 0 ? { type: "bad" } : { type: "good", user, audiences: matchingAudiences };
  };
  return {
    review,
    async authenticate(token) {
      const reviewed = await review(token, []);
      return reviewed.type === "good" ? reviewed.user : undefined;
    },
  };
}

function withAuthenticatedGroup(user: UserInfo): UserInfo {
  return user.groups.includes(AUTHENTICATED) ? user : { ...user, groups: [...user.groups, AUTHENTICATED] };
}
