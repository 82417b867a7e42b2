import type { JsonObject } from "pintle/kinds";
import { metadataOf } from "../../api/index.ts";
import type { Store } from "../../store/index.ts";
import type { Claims, Reference } from "./claims.ts";

/** An object marked for deletion this long ago no longer vouches for a token. */
const LEEWAY = 60_000;
const INVALIDATED = "service account token has been invalidated";

/** Objects that tokens speak of. */
export interface BoundObjects {
  serviceAccount(namespace: string, name: string): Promise<JsonObject | undefined>;
  pod(namespace: string, name: string): Promise<JsonObject | undefined>;
  secret(namespace: string, name: string): Promise<JsonObject | undefined>;
  node(name: string): Promise<JsonObject | undefined>;
}

export function boundObjects(store: Store): BoundObjects {
  const get = async (key: string) => (await store.get(`/registry/${key}`))?.value;
  return {
    serviceAccount: (namespace, name) => get(`serviceaccounts/${namespace}/${name}`),
    pod: (namespace, name) => get(`pods/${namespace}/${name}`),
    secret: (namespace, name) => get(`secrets/${namespace}/${name}`),
    node: (name) => get(`minions/${name}`),
  };
}

/** Why a token is worth nothing although it is genuine: something it speaks of is gone. Undefined: all is there. */
export async function invalidity(objects: BoundObjects, claims: Claims, now: number): Promise<string | undefined> {
  const { namespace, serviceaccount, secret, pod, node } = claims["kubernetes.io"];
  const account = await objects.serviceAccount(namespace, serviceaccount.name);
  if (account === undefined) return `serviceaccounts "${serviceaccount.name}" not found`;
  if (isGone(account, now)) return `service account ${namespace}/${serviceaccount.name} has been deleted`;
  const uid = metadataOf(account).uid;
  if (uid !== serviceaccount.uid) return `service account UID (${uid}) does not match claim (${serviceaccount.uid})`;

  const vouches = (object: JsonObject | undefined, claimed: Reference, kind: string) => {
    if (object === undefined || isGone(object, now)) return INVALIDATED;
    const actual = metadataOf(object).uid;
    return actual === claimed.uid ? undefined : `${kind} UID (${actual}) does not match service account ${kind} ref claim (${claimed.uid})`;
  };
  if (secret !== undefined) return vouches(await objects.secret(namespace, secret.name), secret, "secret");
  if (pod !== undefined) return vouches(await objects.pod(namespace, pod.name), pod, "pod");
  // A token for a pod only mentions its node; one for a node goes with it.
  if (node?.name !== undefined && node.uid !== undefined) {
    return vouches(await objects.node(node.name), { name: node.name, uid: node.uid }, "node");
  }
  return undefined;
}

function isGone(object: JsonObject, now: number): boolean {
  const { deletionTimestamp } = metadataOf(object);
  return deletionTimestamp !== undefined && Date.parse(deletionTimestamp) < now - LEEWAY;
}
