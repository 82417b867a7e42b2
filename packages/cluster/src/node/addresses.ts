export type Addresses = ReturnType<typeof addresses>;

/** Hands out the addresses of a pod range (two numbers: "10.244"), the lowest free one first. Nodes of one cluster share it. */
export function addresses(network: string) {
  const used = new Map<string, string>();
  const taken = new Set<string>();
  let hint = 2;
  return {
    /** The same pod always gets the same address; one it already has is kept. */
    of(uid: string, current: string | undefined): string {
      const known = used.get(uid) ?? current ?? free();
      used.set(uid, known);
      taken.add(known);
      return known;
    },
    release(uid: string): void {
      const address = used.get(uid);
      if (address === undefined) return;
      used.delete(uid);
      taken.delete(address);
      hint = Math.min(hint, numberOf(address));
    },
  };
  function free(): string {
    while (taken.has(addressOf(hint))) hint++;
    return addressOf(hint);
  }
  function addressOf(n: number): string {
    return `${network}.${n >> 8}.${n & 255}`;
  }
  function numberOf(address: string): number {
    const [, , high = "0", low = "0"] = address.split(".");
    return Number(high) * 256 + Number(low);
  }
}
