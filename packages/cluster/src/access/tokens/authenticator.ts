import { AUTHENTICATED, type TokenAuthenticator, type UserInfo } from "../../api/index.ts";
import type { AccountTokens, Review } from "./account-tokens.ts";

/** Knows static tokens and those of service accounts, for requests and for TokenReviews. */
export interface Authenticator extends TokenAuthenticator {
  /** Before this server, when no audiences are named. */
  review(token: string, audiences: readonly string[]): Promise<Review>;
}

export function authenticator(tokens: AccountTokens, fixed: Readonly<Record<string, UserInfo>>): Authenticator {
  const users = new Map(Object.entries(fixed).map(([token, user]) => [token, authenticated(user)]));
  const review: Authenticator["review"] = async (token, audiences) => {
    const user = users.get(token);
    if (user === undefined) return tokens.review(token, audiences.length === 0 ? tokens.audiences : audiences);
    // They know nothing of audiences: they are meant for this server.
    const meant = audiences.length === 0 ? tokens.audiences : audiences.filter((each) => tokens.audiences.includes(each));
    return meant.length === 0 ? { type: "bad" } : { type: "good", user, audiences: meant };
  };
  return {
    review,
    async authenticate(token) {
      const reviewed = await review(token, []);
      return reviewed.type === "good" ? reviewed.user : undefined;
    },
  };
}

function authenticated(user: UserInfo): UserInfo {
  return user.groups.includes(AUTHENTICATED) ? user : { ...user, groups: [...user.groups, AUTHENTICATED] };
}
