export type PodIpAllocator = ReturnType<typeof createPodIpAllocator>;

/** Creates an allocator for a pod range (two numbers: "10.244") that the nodes of one cluster share. It returns the lowest free address. */
export function createPodIpAllocator(network: string) {
  const addressByUid = new Map<string, string>();
  const allocated = new Set<string>();
  let hint = 2;
  return {
    /** Returns the address of a pod: the one it already has, otherwise a new one. */
    allocate(uid: string, current: string | undefined): string {
      const address = addressByUid.get(uid) ?? current ?? findFree();
      addressByUid.set(uid, address);
      allocated.add(address);
      return address;
    },
    release(uid: string): void {
      const address = addressByUid.get(uid);
      if (address === undefined) return;
      addressByUid.delete(uid);
      allocated.delete(address);
      hint = Math.min(hint, toNumber(address));
    },
  };
  function findFree(): string {
    while (allocated.has(toAddress(hint))) hint++;
    return toAddress(hint);
  }
  function toAddress(n: number): string {
    return `${network}.${n >> 8}.${n & 255}`;
  }
  function toNumber(address: string): number {
    const [, , high = "0", low = "0"] = address.split(".");
    return Number(high) * 256 + Number(low);
  }
}
