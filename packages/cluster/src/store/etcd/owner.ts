import { StoreError } from "../store.ts";
import type { EtcdClient } from "./client.ts";
import { ForeignData, keptValue } from "./kept-value.ts";
import { endOf } from "./messages.ts";

/** Says that what is under the prefix is ours. */
const MARK = JSON.stringify({ writtenBy: "pintle", format: 1 });

export async function checkVersion(client: EtcdClient, endpoints: readonly string[]): Promise<void> {
  const version = await client.version();
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const old = major < 3 || (major === 3 && minor < 5);
  if (old) throw new StoreError(`etcd at ${endpoints[0]} is version ${version}: 3.5 or newer is needed`);
}

/** Nobody else's data gets under our hands, not even data we could read. */
export async function checkOwner(client: EtcdClient, prefix: string, mark: string): Promise<void> {
  if (await isMarked(client, mark)) return;
  const { count, found } = await client.range({ key: prefix, end: endOf(prefix), limit: 1 });
  const [first] = found;
  if (first === undefined) {
    await client.txn({ key: mark, modRevision: 0, change: { put: MARK } });
    return;
  }
  // Another of us may have begun meanwhile.
  if (await isMarked(client, mark)) return;
  const why = keptValue(first.key, first.value);
  if (why instanceof ForeignData) throw why;
  const what = `etcd holds ${count} keys under ${prefix} that were not written by Pintle`;
  throw new StoreError(`${what} (${first.key} is the first): use another etcd, or another prefix`);
}

async function isMarked(client: EtcdClient, mark: string): Promise<boolean> {
  const [found] = (await client.range({ key: mark })).found;
  const text = found?.value.toString();
  if (text === undefined || text === MARK) return text === MARK;
  throw new StoreError(`${mark} in etcd says ${text}, and this version of Pintle writes ${MARK}: use the version that wrote it`);
}
