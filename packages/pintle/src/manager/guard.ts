import type { Client } from "../client/index.ts";
import { TokenReview } from "../kinds/generated/authentication/v1.ts";
import { SubjectAccessReview } from "../kinds/generated/authorization/v1.ts";
import type { Clock } from "../queue/index.ts";

interface User {
  readonly username?: string | undefined;
  readonly uid?: string | undefined;
  readonly groups?: readonly string[] | undefined;
}
const TOKEN_KEPT = 60_000;
const ALLOWED_KEPT = 5 * 60_000;
const DENIED_KEPT = 30_000;
const MOST_KEPT = 1_000;

/** Asks the API server who a bearer token belongs to and whether they may read a path. Answers are kept for a while. */
export function guard(client: Client, clock: Clock) {
  const users = remembered<User | undefined>(clock);
  const rights = remembered<boolean>(clock);
  return async function refusal(authorization: string | undefined, path: string): Promise<401 | 403 | undefined> {
    const token = /^Bearer (.+)$/i.exec(authorization ?? "")?.[1];
    if (token === undefined) return 401;
    const user = await users(token, async () => {
      const { status } = await client.create(TokenReview, { metadata: {}, spec: { token } } as never);
      return [status?.authenticated === true ? (status.user as User) : undefined, TOKEN_KEPT];
    });
    if (user === undefined) return 401;
    const allowed = await rights(JSON.stringify([user, path]), async () => {
      const spec = { user: user.username, uid: user.uid, groups: user.groups, nonResourceAttributes: { path, verb: "get" } };
      const { status } = await client.create(SubjectAccessReview, { metadata: {}, spec } as never);
      return status?.allowed === true ? [true, ALLOWED_KEPT] : [false, DENIED_KEPT];
    });
    return allowed ? undefined : 403;
  };
}

function remembered<T>(clock: Clock) {
  const known = new Map<string, { readonly value: T; readonly until: number }>();
  return async (key: string, find: () => Promise<readonly [T, number]>): Promise<T> => {
    const found = known.get(key);
    if (found !== undefined && found.until > clock.monotonic()) return found.value;
    const [value, kept] = await find();
    if (known.size >= MOST_KEPT) known.clear();
    known.set(key, { value, until: clock.monotonic() + kept });
    return value;
  };
}
