/** The addresses of a pod range (two numbers: "127.64"): the nodes of one machine share it. */
export interface PodAddresses {
  /** A pod's address. One it has is kept; one that was promised to its name is its own. */
  of(uid: string, wish: { readonly current?: string | undefined; readonly name?: string | undefined }): string;
  /** The address that whoever gets this name will have. */
  promised(name: string): string;
  release(uid: string): void;
}

const FIRST = 2;
const LAST = 65_533;

export function podAddresses(network: string): PodAddresses {
  const byUid = new Map<string, string>();
  const byName = new Map<string, string>();
  const taken = new Set<string>();
  let hint = FIRST;
  const free = (): string => {
    for (let tried = FIRST; tried <= LAST; tried++) {
      const address = `${network}.${hint >> 8}.${hint & 255}`;
      hint = hint >= LAST ? FIRST : hint + 1;
      // Some programs take the first and last numbers of a range for something else.
      if (!taken.has(address) && !/\.(0|255)$/.test(address)) return take(address);
    }
    throw new Error(`all pod addresses of ${network}.0.0/16 are taken`);
  };
  const take = (address: string) => {
    taken.add(address);
    return address;
  };
  const promised = (name: string) => {
    const address = byName.get(name) ?? free();
    byName.set(name, address);
    return address;
  };
  return {
    promised,
    of(uid, { current, name }) {
      const known = byUid.get(uid);
      if (known !== undefined) return known;
      const kept = current?.startsWith(`${network}.`) === true ? current : undefined;
      if (kept !== undefined && name !== undefined && !byName.has(name)) byName.set(name, take(kept));
      const address = name !== undefined ? promised(name) : kept !== undefined ? take(kept) : free();
      byUid.set(uid, address);
      return address;
    },
    release(uid) {
      const address = byUid.get(uid);
      byUid.delete(uid);
      // What was promised to a name stays with it.
      if (address !== undefined && ![...byName.values()].includes(address)) taken.delete(address);
    },
  };
}
