import type { UserInfo } from "../../api/index.ts";
import { AUTHENTICATED } from "../../api/index.ts";
import { accountGroups, accountUser } from "../service-account.ts";

/** An object a token speaks of: it is worth nothing once the object is gone. */
export interface Reference {
  readonly name: string;
  readonly uid: string;
}

/** What a service-account token says. Times are seconds since the epoch. */
export interface Claims {
  readonly aud: readonly string[];
  readonly exp: number;
  readonly iat: number;
  readonly iss: string;
  readonly jti: string;
  readonly "kubernetes.io": {
    readonly namespace: string;
    readonly node?: Partial<Reference> | undefined;
    readonly pod?: Reference | undefined;
    readonly secret?: Reference | undefined;
    readonly serviceaccount: Reference;
    /** From then on its use is only tolerated. */
    readonly warnafter?: number | undefined;
  };
  readonly nbf: number;
  readonly sub: string;
}

/** The user a token stands for. */
export function userOf({ jti, "kubernetes.io": { namespace, serviceaccount, pod, node } }: Claims): UserInfo {
  const facts: readonly [string, string | undefined][] = [
    ["credential-id", `JTI=${jti}`],
    ["node-name", node?.name],
    ["node-uid", node?.uid],
    ["pod-name", pod?.name],
    ["pod-uid", pod?.uid],
  ];
  return {
    name: accountUser({ namespace, name: serviceaccount.name }),
    uid: serviceaccount.uid,
    groups: [...accountGroups(namespace), AUTHENTICATED],
    extra: Object.fromEntries(
      facts.flatMap(([name, value]) => (value === undefined ? [] : [[`authentication.kubernetes.io/${name}`, [value]]])),
    ),
  };
}
