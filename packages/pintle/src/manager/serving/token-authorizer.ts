import type { Client } from "../../client/index.ts";
import type { Clock } from "../../clock/index.ts";
import { TokenReview } from "../../kinds/generated/authentication/v1.ts";
import { SubjectAccessReview } from "../../kinds/generated/authorization/v1.ts";
import { createExpiringCache } from "./expiring-cache.ts";

interface TokenUser {
  readonly username?: string | undefined;
  readonly uid?: string | undefined;
  readonly groups?: readonly string[] | undefined;
}
/** A client whose permission or token is revoked loses access within a minute, even if the API server caches its own decisions for a while. */
const TOKEN_TTL_MS = 30_000;
const ALLOWED_TTL_MS = 30_000;
const DENIED_TTL_MS = 10_000;

/** Creates a check of bearer tokens with TokenReview and SubjectAccessReview. It returns the HTTP status of a denial; results are cached. */
export function createTokenAuthorizer(client: Client, clock: Clock) {
  const users = createExpiringCache<TokenUser | undefined>(clock);
  const rights = createExpiringCache<boolean>(clock);
  return async function checkAccess(authorization: string | undefined, path: string): Promise<401 | 403 | undefined> {
    const token = /^Bearer (.+)$/i.exec(authorization ?? "")?.[1];
    if (token === undefined) return 401;
    const user = await users(token, async () => {
      const { status } = await client.create(TokenReview, { metadata: {}, spec: { token } } as never);
      return status?.authenticated === true ? [status.user as TokenUser, TOKEN_TTL_MS] : [undefined, DENIED_TTL_MS];
    });
    if (user === undefined) return 401;
    const allowed = await rights(JSON.stringify([user, path]), async () => {
      const spec = { user: user.username, uid: user.uid, groups: user.groups, nonResourceAttributes: { path, verb: "get" } };
      const { status } = await client.create(SubjectAccessReview, { metadata: {}, spec } as never);
      return status?.allowed === true ? [true, ALLOWED_TTL_MS] : [false, DENIED_TTL_MS];
    });
    return allowed ? undefined : 403;
  };
}
