/** What the autopilot makes of what it hears: plain functions of plain values. */

/** Fuller than this on average: one more server. Memory is cut into pieces of a few sizes, so none gets much fuller than four fifths. */
const FULL = 0.7;
/** One less would still not be fuller than this: one less. Far below FULL, so that a step is never taken back by the next. */
const EMPTY = 0.35;

export interface Server {
  readonly name: string;
  /** The part of its memory that is in use; undefined: it does not answer. */
  readonly fill: number | undefined;
}

/** One step towards the size that fits what is kept. With a server that does not answer, nobody knows: it stays as it is. */
export function sizeFor({ min, max }: { readonly min: number; readonly max: number }, size: number, servers: readonly Server[]): number {
  if (size < min || size > max) return Math.min(Math.max(size, min), max);
  const fills = servers.flatMap(({ fill }) => fill ?? []);
  if (fills.length !== size) return size;
  const all = fills.reduce((sum, fill) => sum + fill, 0);
  if (all / size > FULL && size < max) return size + 1;
  if (size > min && all / (size - 1) < EMPTY) return size - 1;
  return size;
}

/** Servers that hang. When none answers, it is the way to them that is cut, and nothing is to be done. */
export function hanging(servers: readonly Server[]): readonly string[] {
  const silent = servers.filter(({ fill }) => fill === undefined);
  return silent.length === servers.length ? [] : silent.map(({ name }) => name);
}
