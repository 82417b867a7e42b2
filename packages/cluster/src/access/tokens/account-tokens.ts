import type { Clock, Random } from "pintle/queue";
import { generateUid, type UserInfo } from "../../api/index.ts";
import type { Store } from "../../store/index.ts";
import { listText } from "../rbac/covers.ts";
import { accountUser } from "../service-account.ts";
import { type BoundObjects, boundObjects, invalidity } from "./bound-objects.ts";
import { type Claims, type Reference, userOf } from "./claims.ts";
import { type SigningKey, signingKey } from "./signing-key.ts";

/** What a token is asked for with. */
export interface TokenFacts {
  readonly namespace: string;
  readonly account: Reference;
  readonly audiences: readonly string[];
  /** How long it is good for. */
  readonly seconds: number;
  readonly pod?: Reference | undefined;
  readonly secret?: Reference | undefined;
  readonly node?: Partial<Reference> | undefined;
  /** After so many seconds its use is only tolerated. */
  readonly warnAfter?: number | undefined;
}

export type Review =
  | { readonly type: "good"; readonly user: UserInfo; readonly audiences: readonly string[] }
  /** Not a token of ours; with a reason when it pretends to be. */
  | { readonly type: "bad"; readonly why?: string | undefined };

/** Gives tokens to service accounts, and knows them again. */
export interface AccountTokens {
  readonly issuer: string;
  readonly key: () => SigningKey;
  readonly objects: BoundObjects;
  issue(facts: TokenFacts): string;
  /** Whom a token stands for, here and now, before one of the audiences. */
  review(token: string, audiences: readonly string[]): Promise<Review>;
}

export interface AccountTokensOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  /** The private key of an earlier start, whose tokens are still good; default: one of its own. */
  readonly signingKey?: string | undefined;
}

export const ISSUER = "https://kubernetes.default.svc.cluster.local";
/** Clocks may differ by so many seconds. */
const LEEWAY = 60;
/** So many tokens need not be checked again as long as their objects stand. */
const REMEMBERED = 10_000;

export function accountTokens({ store, clock, random, signingKey: kept }: AccountTokensOptions): AccountTokens {
  let made: SigningKey | undefined;
  const key = () => {
    made ??= signingKey(kept);
    return made;
  };
  const objects = boundObjects(store);
  const genuine = new Map<string, { readonly claims: Claims; readonly user: UserInfo }>();
  const seconds = () => Math.floor(clock.now() / 1000);

  const known = (token: string) => {
    const before = genuine.get(token);
    if (before !== undefined) return before;
    const read = key().read(token);
    if (read?.claims["iss"] !== ISSUER) return undefined;
    if (!read.signed()) return { why: "go-jose/go-jose: error in cryptographic primitive" };
    const claims = read.claims as unknown as Claims;
    const entry = { claims, user: userOf(claims) };
    if (genuine.size >= REMEMBERED) genuine.clear();
    genuine.set(token, entry);
    return entry;
  };

  return {
    issuer: ISSUER,
    key,
    objects,
    issue({ namespace, account, audiences, seconds: lifetime, pod, secret, node, warnAfter }) {
      const now = seconds();
      const claims: Claims = {
        aud: audiences,
        exp: now + lifetime,
        iat: now,
        iss: ISSUER,
        jti: generateUid(random),
        "kubernetes.io": {
          namespace,
          node,
          pod,
          secret,
          serviceaccount: account,
          warnafter: warnAfter === undefined ? undefined : now + warnAfter,
        },
        nbf: now,
        sub: accountUser({ namespace, name: account.name }),
      };
      return key().sign(claims);
    },
    async review(token, audiences) {
      const found = known(token);
      if (found === undefined || "why" in found) return { type: "bad", why: found?.why };
      const { claims, user } = found;
      const meant = audiences.filter((each) => claims.aud.includes(each));
      if (meant.length === 0) {
        return { type: "bad", why: `token audiences ${listText(claims.aud)} is invalid for the target audiences ${listText(audiences)}` };
      }
      if (seconds() > claims.exp + LEEWAY) return { type: "bad", why: "service account token has expired" };
      if (seconds() < claims.nbf - LEEWAY) return { type: "bad", why: "service account token is not valid yet" };
      const why = await invalidity(objects, claims, clock.now());
      return why === undefined ? { type: "good", user, audiences: meant } : { type: "bad", why };
    },
  };
}
