import { StoreError } from "../store.ts";
import type { EtcdClient } from "./client.ts";
import { decodeEtcdValue, ForeignDataError } from "./etcd-value.ts";
import { getPrefixRangeEnd } from "./messages.ts";

/** Value of the key that marks a prefix as Pintle's. */
const OWNERSHIP_MARK = JSON.stringify({ writtenBy: "pintle", format: 1 });

export async function checkEtcdVersion(client: EtcdClient, endpoints: readonly string[]): Promise<void> {
  const version = await client.version();
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const old = major < 3 || (major === 3 && minor < 5);
  if (old) throw new StoreError("PINTLE6521", `etcd at ${endpoints[0]} is version ${version}: 3.5 or newer is required`);
}

/** Claims an empty prefix. Throws `StoreError` if it holds data of another writer, even data that could be read. */
export async function claimPrefix(client: EtcdClient, prefix: string, mark: string): Promise<void> {
  if (await hasOwnershipMark(client, mark)) return;
  const { count, kvs } = await client.range({ key: prefix, rangeEnd: getPrefixRangeEnd(prefix), limit: 1 });
  const [first] = kvs;
  if (first === undefined) {
    await client.txn({ key: mark, modRevision: 0, change: { put: OWNERSHIP_MARK } });
    return;
  }
  // Another Pintle process may have claimed it meanwhile.
  if (await hasOwnershipMark(client, mark)) return;
  const decoded = decodeEtcdValue(first.key, first.value);
  if (decoded instanceof ForeignDataError) throw decoded;
  const what = `etcd holds ${count} keys under ${prefix} that were not written by Pintle`;
  throw new StoreError("PINTLE6522", `${what} (${first.key} is the first): use another etcd, or another prefix`);
}

async function hasOwnershipMark(client: EtcdClient, mark: string): Promise<boolean> {
  const [found] = (await client.range({ key: mark })).kvs;
  const text = found?.value.toString();
  if (text === undefined || text === OWNERSHIP_MARK) return text === OWNERSHIP_MARK;
  throw new StoreError(
    "PINTLE6523",
    `${mark} in etcd is ${text}, but this version of Pintle writes ${OWNERSHIP_MARK}: use the version that wrote it`,
  );
}
