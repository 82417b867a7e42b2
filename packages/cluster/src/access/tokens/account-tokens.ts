import type { Clock, Random } from "pintle/queue";
import { generateUid, type UserInfo } from "../../api/index.ts";
import type { Store } from "../../store/index.ts";
import { listText } from "../rbac/covers.ts";
import { accountUser } from "../service-account.ts";
import { type BoundObjects, boundObjects, invalidity } from "./bound-objects.ts";
import { type Claims, type Reference, userOf } from "./claims.ts";
import { LEGACY_ISSUER, legacyToken } from "./legacy-token.ts";
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
  /** Whom tokens are for when they name nobody else: this server. */
  readonly audiences: readonly string[];
  /** So many seconds a token may be good for at most. */
  readonly longest: number;
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
  readonly rules?: AccountRules | undefined;
}

/** What a server's command line says about tokens of service accounts. */
export interface AccountRules {
  /** Who issues them: the first signs, the others were the first once. */
  readonly issuers?: readonly string[] | undefined;
  /** Default: the issuers. */
  readonly audiences?: readonly string[] | undefined;
  /** PEM: keys and certificates whose tokens are good. Default: that of the signing key. */
  readonly trustedKeys?: readonly string[] | undefined;
  /** Whether a token ends with the objects it speaks of. Default: yes. */
  readonly lookup?: boolean | undefined;
  /** Default: 2^32 seconds. */
  readonly longestSeconds?: number | undefined;
}

const LONGEST = 2 ** 32;
const UNSIGNED = "go-jose/go-jose: error in cryptographic primitive";
export const ISSUER = "https://kubernetes.default.svc.cluster.local";
/** Clocks may differ by so many seconds. */
const LEEWAY = 60;
/** So many tokens need not be checked again as long as their objects stand. */
const REMEMBERED = 10_000;

export function accountTokens({ store, clock, random, signingKey: kept, rules = {} }: AccountTokensOptions): AccountTokens {
  const { issuers = [ISSUER], trustedKeys = [], lookup = true, longestSeconds = LONGEST } = rules;
  const { audiences: ours = issuers } = rules;
  const issuer = issuers[0] ?? ISSUER;
  let made: SigningKey | undefined;
  const key = () => {
    made ??= signingKey(kept, trustedKeys);
    return made;
  };
  const objects = boundObjects(store);
  const genuine = new Map<string, { readonly claims: Claims; readonly user: UserInfo }>();
  const seconds = () => Math.floor(clock.now() / 1000);

  const known = (token: string) => {
    const before = genuine.get(token);
    if (before !== undefined) return before;
    const read = key().read(token);
    if (read === undefined || !issuers.includes(read.claims["iss"] as string)) return undefined;
    if (!read.signed()) return { why: UNSIGNED };
    const claims = read.claims as unknown as Claims;
    const entry = { claims, user: userOf(claims) };
    if (genuine.size >= REMEMBERED) genuine.clear();
    genuine.set(token, entry);
    return entry;
  };

  /** Undefined: it is none of those. */
  const reviewLegacy = async (token: string, audiences: readonly string[]): Promise<Review | undefined> => {
    if (genuine.has(token)) return undefined;
    const read = key().read(token);
    if (read?.claims["iss"] !== LEGACY_ISSUER) return undefined;
    if (!read.signed()) return { type: "bad", why: UNSIGNED };
    // They name no audience: they are meant for this server.
    const meant = audiences.filter((each) => ours.includes(each));
    if (meant.length === 0) return { type: "bad" };
    const reviewed = await legacyToken(token, read.claims, { objects, lookup });
    return "why" in reviewed ? { type: "bad", why: reviewed.why } : { type: "good", user: reviewed.user, audiences: meant };
  };

  return {
    issuer,
    audiences: ours,
    longest: longestSeconds,
    key,
    objects,
    issue({ namespace, account, audiences, seconds: lifetime, pod, secret, node, warnAfter }) {
      const now = seconds();
      const claims: Claims = {
        aud: audiences,
        exp: now + lifetime,
        iat: now,
        iss: issuer,
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
      const legacy = await reviewLegacy(token, audiences);
      if (legacy !== undefined) return legacy;
      const found = known(token);
      if (found === undefined || "why" in found) return { type: "bad", why: found?.why };
      const { claims, user } = found;
      const meant = audiences.filter((each) => claims.aud.includes(each));
      if (meant.length === 0) {
        return { type: "bad", why: `token audiences ${listText(claims.aud)} is invalid for the target audiences ${listText(audiences)}` };
      }
      if (seconds() > claims.exp + LEEWAY) return { type: "bad", why: "service account token has expired" };
      if (seconds() < claims.nbf - LEEWAY) return { type: "bad", why: "service account token is not valid yet" };
      const why = lookup ? await invalidity(objects, claims, clock.now()) : undefined;
      return why === undefined ? { type: "good", user, audiences: meant } : { type: "bad", why };
    },
  };
}
