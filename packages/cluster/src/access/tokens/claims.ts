import type { UserInfo } from "../../api/index.ts";
import { AUTHENTICATED } from "../../api/index.ts";
import { makeServiceAccountGroups, makeServiceAccountUsername } from "../service-account.ts";

/** Object that a token is bound to; the token becomes invalid when the object is deleted. */
export interface BoundObjectReference {
  readonly name: string;
  readonly uid: string;
}

/** Claims of a service account token. Times are seconds since the epoch. */
export interface ServiceAccountClaims {
  readonly aud: readonly string[];
  readonly exp: number;
  readonly iat: number;
  readonly iss: string;
  readonly jti: string;
  readonly "kubernetes.io": {
    readonly namespace: string;
    readonly node?: Partial<BoundObjectReference> | undefined;
    readonly pod?: BoundObjectReference | undefined;
    readonly secret?: BoundObjectReference | undefined;
    readonly serviceaccount: BoundObjectReference;
    /** Time after which use of the token is logged as stale. */
    readonly warnafter?: number | undefined;
  };
  readonly nbf: number;
  readonly sub: string;
}

/** Returns the user of a token. */
export function toUserInfo({ jti, "kubernetes.io": { namespace, serviceaccount, pod, node } }: ServiceAccountClaims): UserInfo {
  const extra: readonly [string, string | undefined][] = [
    ["credential-id", `JTI=${jti}`],
    ["node-name", node?.name],
    ["node-uid", node?.uid],
    ["pod-name", pod?.name],
    ["pod-uid", pod?.uid],
  ];
  return {
    name: makeServiceAccountUsername({ namespace, name: serviceaccount.name }),
    uid: serviceaccount.uid,
    groups: [...makeServiceAccountGroups(namespace), AUTHENTICATED],
    extra: Object.fromEntries(
      extra.flatMap(([name, value]) => (value === undefined ? [] : [[`authentication.kubernetes.io/${name}`, [value]]])),
    ),
  };
}
