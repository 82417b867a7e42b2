/** The decisions of the autopilot, as pure functions. */

/** Average fill above which a server is added. Slab allocation keeps servers from filling much beyond 80%. */
const SCALE_UP_FILL = 0.7;
/** A server is removed if the others would stay below this fill. Well below SCALE_UP_FILL, so that decisions do not oscillate. */
const SCALE_DOWN_FILL = 0.35;

export interface ServerState {
  readonly name: string;
  /** Used part of the memory limit; undefined if the server does not respond. */
  readonly usedRatio: number | undefined;
}

/** Returns the size one step closer to the ideal one. If a server does not respond, the size is unchanged. */
export function decideSize(
  { min, max }: { readonly min: number; readonly max: number },
  size: number,
  servers: readonly ServerState[],
): number {
  if (size < min || size > max) return Math.min(Math.max(size, min), max);
  const fills = servers.flatMap(({ usedRatio }) => usedRatio ?? []);
  if (fills.length !== size) return size;
  const totalFill = fills.reduce((sum, fill) => sum + fill, 0);
  if (totalFill / size > SCALE_UP_FILL && size < max) return size + 1;
  if (size > min && totalFill / (size - 1) < SCALE_DOWN_FILL) return size - 1;
  return size;
}

/** Returns the servers that do not respond. If none responds, the network is the likely cause and nothing is reported. */
export function findHungServers(servers: readonly ServerState[]): readonly string[] {
  const unresponsive = servers.filter(({ usedRatio }) => usedRatio === undefined);
  return unresponsive.length === servers.length ? [] : unresponsive.map(({ name }) => name);
}
