/** Allocates addresses of a pod range (two numbers: "127.64") that the nodes of one machine share. */
export interface PodAddressAllocator {
  /** Returns the address of a pod: its current one, the one reserved for its name, or a new one. */
  allocate(uid: string, request: { readonly current?: string | undefined; readonly name?: string | undefined }): string;
  /** Returns the address that the pod of this name will get. */
  reserveForName(name: string): string;
  release(uid: string): void;
}

const FIRST_HOST = 2;
const LAST_HOST = 65_533;

export function createPodAddressAllocator(network: string): PodAddressAllocator {
  const byUid = new Map<string, string>();
  const byName = new Map<string, string>();
  const allocated = new Set<string>();
  let hint = FIRST_HOST;
  const findFree = (): string => {
    for (let tried = FIRST_HOST; tried <= LAST_HOST; tried++) {
      const address = `${network}.${hint >> 8}.${hint & 255}`;
      hint = hint >= LAST_HOST ? FIRST_HOST : hint + 1;
      // Some programs treat the first and last address of a range specially.
      if (!allocated.has(address) && !/\.(0|255)$/.test(address)) return markAllocated(address);
    }
    throw new Error(`all pod addresses of ${network}.0.0/16 are allocated`);
  };
  const markAllocated = (address: string) => {
    allocated.add(address);
    return address;
  };
  const reserveForName = (name: string) => {
    const address = byName.get(name) ?? findFree();
    byName.set(name, address);
    return address;
  };
  return {
    reserveForName,
    allocate(uid, { current, name }) {
      const existing = byUid.get(uid);
      if (existing !== undefined) return existing;
      const retained = current?.startsWith(`${network}.`) === true ? current : undefined;
      if (retained !== undefined && name !== undefined && !byName.has(name)) byName.set(name, markAllocated(retained));
      const address = name !== undefined ? reserveForName(name) : retained !== undefined ? markAllocated(retained) : findFree();
      byUid.set(uid, address);
      return address;
    },
    release(uid) {
      const address = byUid.get(uid);
      byUid.delete(uid);
      // An address that is reserved for a name stays reserved.
      if (address !== undefined && ![...byName.values()].includes(address)) allocated.delete(address);
    },
  };
}
