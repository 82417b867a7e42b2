/** A snapshot, as its claim says. */
export interface Snapshot {
  readonly name: string;
  /** Whom it is taken from. */
  readonly member: string;
  /** The member had all up to here when it was asked for. */
  readonly revision: number;
  readonly version: string;
  /** Empty until it is complete. */
  readonly takenAt: string;
}

export interface Schedule {
  readonly now: number;
  readonly keep: number;
  /** Milliseconds between two; undefined: once. */
  readonly every?: number | undefined;
  /** Snapshots whose job has failed, and when. */
  readonly failed: ReadonlyMap<string, number>;
  /** Snapshots that somebody is restoring from. */
  readonly inUse: ReadonlySet<string | undefined>;
}
export interface Next {
  /** What stays, the oldest first. */
  readonly kept: readonly Snapshot[];
  /** One is to be begun. */
  readonly due: boolean;
  /** Milliseconds until there is something to decide again. */
  readonly again?: number | undefined;
}

const RETRY = 30_000;

/** Which snapshots stay, and whether another one is due. One at a time; a failed one is tried again, under another name, after a while. */
export function nextSnapshot(snapshots: readonly Snapshot[], { now, keep, every, failed, inUse }: Schedule): Next {
  const ordered = [...snapshots].sort((a, b) => a.name.localeCompare(b.name));
  const taken = ordered.filter(({ takenAt }) => takenAt !== "");
  const stale = taken.slice(0, Math.max(0, taken.length - keep)).filter(({ name }) => !inUse.has(name));
  const pending = ordered.find(({ takenAt }) => takenAt === "");
  const kept = ordered.filter((snapshot) => !stale.includes(snapshot));
  const failedAt = pending && failed.get(pending.name);
  if (pending !== undefined && failedAt === undefined) return { kept, due: false };
  if (pending !== undefined && failedAt! + RETRY > now) return { kept, due: false, again: failedAt! + RETRY - now };
  const rest = kept.filter((snapshot) => snapshot !== pending);
  const last = taken.at(-1);
  if (last === undefined) return { kept: rest, due: true, again: RETRY };
  if (every === undefined) return { kept: rest, due: false };
  const left = Date.parse(last.takenAt) + every - now;
  return left > 0 ? { kept: rest, due: false, again: left } : { kept: rest, due: true, again: RETRY };
}
