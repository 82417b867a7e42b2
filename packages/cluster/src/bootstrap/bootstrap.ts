import type { JsonObject } from "pintle/kinds";
import { equal } from "pintle/merge";
import { metadataOf } from "../api/index.ts";
import type { Store } from "../store/index.ts";
import { announced, fresh } from "./generated/objects.ts";
import { type Birth, type BootstrapObject, objectsOf, parsed, type ServerFacts, shared } from "./objects.ts";

/** Of the server that the lines were taken down from. */
const RECORDED = { range: "10.96.0.0/16", first: "10.96.0.1", address: "192.0.2.1" };

/** Puts what is missing of a fresh server's objects into the store; those of a store that lived before stay as they are. */
export async function bootstrap(store: Store, facts: Birth): Promise<void> {
  await Promise.all(objectsOf(inNetwork(fresh, facts), facts, shared).map(({ key, object }) => store.txn(key, 0, { put: object })));
}

/**
 * Says where the server is reached and whom it trusts, once that is known: its Service, endpoints, lease and client
 * authority. They are brought up to date after a restart.
 */
export async function announce(store: Store, facts: ServerFacts): Promise<void> {
  const { clientAuthority, port, address = RECORDED.address } = facts;
  const all = inNetwork(announced, facts)
    .replaceAll(RECORDED.address, address)
    .replaceAll('"<port>"', String(port))
    .replaceAll("<port>", String(port));
  const lines =
    clientAuthority === undefined
      ? all.replace(/^.*<authority>.*\n/m, "")
      : all.replaceAll("<authority>", () => JSON.stringify(clientAuthority).slice(1, -1));
  await Promise.all(objectsOf(lines, facts, parsed).map((each) => announceOne(store, each)));
}

function inNetwork(lines: string, { services = RECORDED }: Birth): string {
  if (services.range === RECORDED.range) return lines;
  return lines.replaceAll(`"${RECORDED.range}"`, `"${services.range}"`).replaceAll(`"${RECORDED.first}"`, `"${services.first}"`);
}

async function announceOne(store: Store, { key, object }: BootstrapObject): Promise<void> {
  const result = await store.txn(key, 0, { put: object });
  if (result.ok || result.current === undefined) return;
  const { value, revision } = result.current;
  const { uid, creationTimestamp } = metadataOf(value);
  const metadata = { ...metadataOf(object), uid, creationTimestamp };
  const renewed = { ...object, metadata } as unknown as JsonObject;
  if (!equal({ ...renewed, metadata: {} }, { ...value, metadata: {} })) await store.txn(key, revision, { put: renewed });
}
