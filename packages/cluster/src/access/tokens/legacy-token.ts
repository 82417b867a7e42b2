import type { JsonObject } from "pintle/kinds";
import { AUTHENTICATED, metadataOf, type UserInfo } from "../../api/index.ts";
import { accountGroups, accountUser } from "../service-account.ts";
import type { BoundObjects } from "./bound-objects.ts";

/** Who issues the tokens that kube-controller-manager writes into Secrets. */
export const LEGACY_ISSUER = "kubernetes/serviceaccount";

const CLAIM = "kubernetes.io/serviceaccount/";

export type LegacyReview = { readonly user: UserInfo } | { readonly why: string };

/** Whom such a token stands for: as long as its Secret holds it, where that is looked up. Its signature has been checked. */
export async function legacyToken(
  token: string,
  claims: Readonly<Record<string, unknown>>,
  { objects, lookup }: { readonly objects: BoundObjects; readonly lookup: boolean },
): Promise<LegacyReview> {
  const said = (name: string) => String(claims[`${CLAIM}${name}`] ?? "");
  const [namespace, name, uid, secretName] = ["namespace", "service-account.name", "service-account.uid", "secret.name"].map(said) as [
    string,
    string,
    string,
    string,
  ];
  if (claims["sub"] !== accountUser({ namespace, name })) return { why: "sub claim does not match the service account's user" };
  if (lookup) {
    const secret = await objects.secret(namespace, secretName);
    if (secret === undefined || isGoing(secret)) return { why: "Token has been invalidated" };
    const data = (secret["data"] ?? {}) as { readonly token?: string };
    if (Buffer.from(data.token ?? "", "base64").toString() !== token) return { why: "Token does not match server's copy" };
    const account = await objects.serviceAccount(namespace, name);
    if (account === undefined) return { why: `serviceaccounts "${name}" not found` };
    if (isGoing(account)) return { why: `ServiceAccount ${namespace}/${name} has been deleted` };
    const actual = metadataOf(account).uid;
    if (actual !== uid) return { why: `ServiceAccount UID (${actual}) does not match claim (${uid})` };
  }
  return { user: { name: accountUser({ namespace, name }), uid, groups: [...accountGroups(namespace), AUTHENTICATED] } };
}

function isGoing(object: JsonObject): boolean {
  return metadataOf(object).deletionTimestamp !== undefined;
}
