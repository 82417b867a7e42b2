import type { JsonObject } from "pintle/kinds";
import { getMetadata } from "../../api/index.ts";
import type { ObjectStore } from "../../store/index.ts";
import type { BoundObjectReference, ServiceAccountClaims } from "./claims.ts";

/** How long after its deletion timestamp an object still keeps its tokens valid. */
const DELETION_LEEWAY_MS = 60_000;
const INVALIDATED = "service account token has been invalidated";

/** Reads the objects that tokens are bound to. */
export interface BoundObjectReader {
  serviceAccount(namespace: string, name: string): Promise<JsonObject | undefined>;
  pod(namespace: string, name: string): Promise<JsonObject | undefined>;
  secret(namespace: string, name: string): Promise<JsonObject | undefined>;
  node(name: string): Promise<JsonObject | undefined>;
}

export function createBoundObjectReader(store: ObjectStore): BoundObjectReader {
  const get = async (key: string) => (await store.get(`/registry/${key}`))?.value;
  return {
    serviceAccount: (namespace, name) => get(`serviceaccounts/${namespace}/${name}`),
    pod: (namespace, name) => get(`pods/${namespace}/${name}`),
    secret: (namespace, name) => get(`secrets/${namespace}/${name}`),
    node: (name) => get(`minions/${name}`),
  };
}

/** Returns why a verified token is invalid: an object it is bound to was deleted. Undefined if it is valid. */
export async function findBoundObjectError(
  objects: BoundObjectReader,
  claims: ServiceAccountClaims,
  now: number,
): Promise<string | undefined> {
  const { namespace, serviceaccount, secret, pod, node } = claims["kubernetes.io"];
  const account = await objects.serviceAccount(namespace, serviceaccount.name);
  if (account === undefined) return `serviceaccounts "${serviceaccount.name}" not found`;
  if (isDeleted(account, now)) return `service account ${namespace}/${serviceaccount.name} has been deleted`;
  const uid = getMetadata(account).uid;
  if (uid !== serviceaccount.uid) return `service account UID (${uid}) does not match claim (${serviceaccount.uid})`;

  const checkReference = (object: JsonObject | undefined, claimed: BoundObjectReference, kind: string) => {
    if (object === undefined || isDeleted(object, now)) return INVALIDATED;
    const actual = getMetadata(object).uid;
    return actual === claimed.uid ? undefined : `${kind} UID (${actual}) does not match service account ${kind} ref claim (${claimed.uid})`;
  };
  if (secret !== undefined) return checkReference(await objects.secret(namespace, secret.name), secret, "secret");
  if (pod !== undefined) return checkReference(await objects.pod(namespace, pod.name), pod, "pod");
  // A token bound to a pod only mentions its node; one bound to a node becomes invalid with it.
  if (node?.name !== undefined && node.uid !== undefined) {
    return checkReference(await objects.node(node.name), { name: node.name, uid: node.uid }, "node");
  }
  return undefined;
}

function isDeleted(object: JsonObject, now: number): boolean {
  const { deletionTimestamp } = getMetadata(object);
  return deletionTimestamp !== undefined && Date.parse(deletionTimestamp) < now - DELETION_LEEWAY_MS;
}
