import type { Clock, Random } from "pintle/internal/clock";
import { createStringCache } from "pintle/internal/memoize";
import { generateUid, type UserInfo } from "../../api/index.ts";
import type { ObjectStore } from "../../store/index.ts";
import { formatStringList } from "../rbac/rule-coverage.ts";
import { makeServiceAccountUsername } from "../service-account.ts";
import { type BoundObjectReader, createBoundObjectReader, findBoundObjectError } from "./bound-objects.ts";
import { type BoundObjectReference, type ServiceAccountClaims, toUserInfo } from "./claims.ts";
import { LEGACY_ISSUER, reviewLegacyToken } from "./legacy-token.ts";
import { loadSigningKey, type SigningKey } from "./signing-key.ts";

/** Attributes of a token to issue. */
export interface TokenAttributes {
  readonly namespace: string;
  readonly account: BoundObjectReference;
  readonly audiences: readonly string[];
  /** Lifetime in seconds. */
  readonly seconds: number;
  readonly pod?: BoundObjectReference | undefined;
  readonly secret?: BoundObjectReference | undefined;
  readonly node?: Partial<BoundObjectReference> | undefined;
  /** Seconds after which use of the token is logged as stale. */
  readonly warnAfter?: number | undefined;
}

export type TokenReviewResult =
  | { readonly type: "good"; readonly user: UserInfo; readonly audiences: readonly string[] }
  /** Invalid; with a reason if the token claims one of the server's issuers. */
  | { readonly type: "bad"; readonly reason?: string | undefined };

/** Issues and reviews service account tokens. */
export interface ServiceAccountTokens {
  readonly issuer: string;
  /** Default audiences: this server. */
  readonly audiences: readonly string[];
  /** Upper limit of a token's lifetime in seconds. */
  readonly maxExpirationSeconds: number;
  readonly getSigningKey: () => SigningKey;
  readonly objects: BoundObjectReader;
  issue(attributes: TokenAttributes): string;
  /** Authenticates a token for one of the audiences. */
  review(token: string, audiences: readonly string[]): Promise<TokenReviewResult>;
}

export interface ServiceAccountTokensOptions {
  readonly store: ObjectStore;
  readonly clock: Clock;
  readonly random: Random;
  /** PEM key of an earlier start, whose tokens stay valid. Default: a generated one. */
  readonly signingKey?: string | undefined;
  readonly options?: ServiceAccountTokenOptions | undefined;
}

/** Options of service account tokens, as kube-apiserver's flags define them. */
export interface ServiceAccountTokenOptions {
  /** Accepted issuers; the first one is used for new tokens. Default: "https://kubernetes.default.svc.cluster.local". */
  readonly issuers?: readonly string[] | undefined;
  /** Audiences of this server. Default: the issuers. */
  readonly audiences?: readonly string[] | undefined;
  /** PEM keys and certificates that verify tokens. Default: the public key of the signing key. */
  readonly trustedKeys?: readonly string[] | undefined;
  /** Whether the objects that a token is bound to must exist. Default: true. */
  readonly lookup?: boolean | undefined;
  /** Upper limit of a token's lifetime in seconds. Default: 2^32. */
  readonly maxExpirationSeconds?: number | undefined;
}

const DEFAULT_MAX_EXPIRATION_SECONDS = 2 ** 32;
const INVALID_SIGNATURE = "go-jose/go-jose: error in cryptographic primitive";
export const DEFAULT_ISSUER = "https://kubernetes.default.svc.cluster.local";
/** Tolerated clock skew. */
const CLOCK_SKEW_SECONDS = 60;
/** Limits of the cache of verified tokens. The claims of a token repeat it in a decoded form. */
const MAX_CACHED_BYTES = 32 * 1024 * 1024;
const CLAIMS_BYTES = 4 * 1024;

interface VerifiedToken {
  readonly claims: ServiceAccountClaims;
  readonly user: UserInfo;
}

export function createServiceAccountTokens({
  store,
  clock,
  random,
  signingKey: signingKeyPem,
  options = {},
}: ServiceAccountTokensOptions): ServiceAccountTokens {
  const { issuers = [DEFAULT_ISSUER], trustedKeys = [], lookup = true, maxExpirationSeconds = DEFAULT_MAX_EXPIRATION_SECONDS } = options;
  const { audiences: serverAudiences = issuers } = options;
  const issuer = issuers[0] ?? DEFAULT_ISSUER;
  let signingKey: SigningKey | undefined;
  const getSigningKey = () => {
    signingKey ??= loadSigningKey(signingKeyPem, trustedKeys);
    return signingKey;
  };
  const objects = createBoundObjectReader(store);
  const verifiedTokens = createStringCache<VerifiedToken>(MAX_CACHED_BYTES, () => CLAIMS_BYTES);
  const seconds = () => Math.floor(clock.now() / 1000);

  const verifyToken = (token: string) => {
    const before = verifiedTokens.get(token);
    if (before !== undefined) return before;
    const read = getSigningKey().parse(token);
    if (read === undefined || !issuers.includes(read.claims["iss"] as string)) return undefined;
    if (!read.signed()) return { reason: INVALID_SIGNATURE };
    const claims = read.claims as unknown as ServiceAccountClaims;
    const entry = { claims, user: toUserInfo(claims) };
    verifiedTokens.set(token, entry);
    return entry;
  };

  /** Resolves with undefined if the token is not a legacy one. */
  const reviewLegacy = async (token: string, audiences: readonly string[]): Promise<TokenReviewResult | undefined> => {
    if (verifiedTokens.get(token) !== undefined) return undefined;
    const read = getSigningKey().parse(token);
    if (read?.claims["iss"] !== LEGACY_ISSUER) return undefined;
    if (!read.signed()) return { type: "bad", reason: INVALID_SIGNATURE };
    // Legacy tokens name no audience: they are meant for this server.
    const matchingAudiences = audiences.filter((each) => serverAudiences.includes(each));
    if (matchingAudiences.length === 0) return { type: "bad" };
    const reviewed = await reviewLegacyToken(token, read.claims, { objects, lookup });
    return "reason" in reviewed
      ? { type: "bad", reason: reviewed.reason }
      : { type: "good", user: reviewed.user, audiences: matchingAudiences };
  };

  return {
    issuer,
    audiences: serverAudiences,
    maxExpirationSeconds,
    getSigningKey,
    objects,
    issue({ namespace, account, audiences, seconds: lifetimeSeconds, pod, secret, node, warnAfter }) {
      const now = seconds();
      const claims: ServiceAccountClaims = {
        aud: audiences,
        exp: now + lifetimeSeconds,
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
        sub: makeServiceAccountUsername({ namespace, name: account.name }),
      };
      return getSigningKey().sign(claims);
    },
    async review(token, audiences) {
      const legacy = await reviewLegacy(token, audiences);
      if (legacy !== undefined) return legacy;
      const found = verifyToken(token);
      if (found === undefined || "reason" in found) return { type: "bad", reason: found?.reason };
      const { claims, user } = found;
      const matchingAudiences = audiences.filter((each) => claims.aud.includes(each));
      if (matchingAudiences.length === 0) {
        return {
          type: "bad",
          reason: `token audiences ${formatStringList(claims.aud)} is invalid for the target audiences ${formatStringList(audiences)}`,
        };
      }
      if (seconds() > claims.exp + CLOCK_SKEW_SECONDS) return { type: "bad", reason: "service account token has expired" };
      if (seconds() < claims.nbf - CLOCK_SKEW_SECONDS) return { type: "bad", reason: "service account token is not valid yet" };
      const reason = lookup ? await findBoundObjectError(objects, claims, clock.now()) : undefined;
      return reason === undefined ? { type: "good", user, audiences: matchingAudiences } : { type: "bad", reason };
    },
  };
}
