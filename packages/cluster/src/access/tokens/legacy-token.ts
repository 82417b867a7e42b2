import type { JsonObject } from "pintle/kinds";
import { AUTHENTICATED, getMetadata, type UserInfo } from "../../api/index.ts";
import { makeServiceAccountGroups, makeServiceAccountUsername } from "../service-account.ts";
import type { BoundObjectReader } from "./bound-objects.ts";

/** Issuer of the tokens that kube-controller-manager writes into Secrets. */
export const LEGACY_ISSUER = "kubernetes/serviceaccount";

const CLAIM_PREFIX = "kubernetes.io/serviceaccount/";

export type LegacyTokenResult = { readonly user: UserInfo } | { readonly reason: string };

/** Authenticates a legacy token, whose signature has been verified. With `lookup` its Secret must contain it. */
export async function reviewLegacyToken(
  token: string,
  claims: Readonly<Record<string, unknown>>,
  { objects, lookup }: { readonly objects: BoundObjectReader; readonly lookup: boolean },
): Promise<LegacyTokenResult> {
  const getClaim = (name: string) => String(claims[`${CLAIM_PREFIX}${name}`] ?? "");
  const [namespace, name, uid, secretName] = ["namespace", "service-account.name", "service-account.uid", "secret.name"].map(getClaim) as [
    string,
    string,
    string,
    string,
  ];
  if (claims["sub"] !== makeServiceAccountUsername({ namespace, name }))
    return { reason: "sub claim does not match the service account's user" };
  if (lookup) {
    const secret = await objects.secret(namespace, secretName);
    if (secret === undefined || isTerminating(secret)) return { reason: "Token has been invalidated" };
    const data = (secret["data"] ?? {}) as { readonly token?: string };
    if (Buffer.from(data.token ?? "", "base64").toString() !== token) return { reason: "Token does not match server's copy" };
    const account = await objects.serviceAccount(namespace, name);
    if (account === undefined) return { reason: `serviceaccounts "${name}" not found` };
    if (isTerminating(account)) return { reason: `ServiceAccount ${namespace}/${name} has been deleted` };
    const actual = getMetadata(account).uid;
    if (actual !== uid) return { reason: `ServiceAccount UID (${actual}) does not match claim (${uid})` };
  }
  return {
    user: { name: makeServiceAccountUsername({ namespace, name }), uid, groups: [...makeServiceAccountGroups(namespace), AUTHENTICATED] },
  };
}

function isTerminating(object: JsonObject): boolean {
  return getMetadata(object).deletionTimestamp !== undefined;
}
