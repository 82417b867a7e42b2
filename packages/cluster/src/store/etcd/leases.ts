import type { EtcdClient } from "./client.ts";

/** One lease serves many keys for so long, as a lease costs etcd more than a key. */
const SHARED_FOR = 60;
const SHARED_BY = 1000;

/** Leases for keys that live so many seconds, or a little longer. */
export function leases(client: EtcdClient): (seconds: number) => Promise<bigint> {
  const shared = new Map<number, { readonly lease: Promise<bigint>; readonly until: number; users: number }>();
  return (seconds) => {
    const now = performance.now();
    const known = shared.get(seconds);
    if (known !== undefined && known.until > now && known.users < SHARED_BY) {
      known.users++;
      return known.lease;
    }
    const lease = client.lease(seconds + SHARED_FOR);
    shared.set(seconds, { lease, until: now + SHARED_FOR * 1000, users: 1 });
    lease.catch(() => shared.delete(seconds));
    return lease;
  };
}
