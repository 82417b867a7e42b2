/** A snapshot, as recorded in the annotations of its claim. */
export interface Snapshot {
  readonly name: string;
  /** The member it is taken from. */
  readonly member: string;
  /** The member's revision when the snapshot was started. */
  readonly revision: number;
  readonly version: string;
  /** Empty until the snapshot is complete. */
  readonly takenAt: string;
}

export interface SnapshotSchedule {
  readonly now: number;
  readonly keep: number;
  /** Interval in milliseconds; undefined takes a single snapshot. */
  readonly every?: number | undefined;
  /** Snapshots whose Job failed, with the time. */
  readonly failed: ReadonlyMap<string, number>;
  /** Snapshots that a restore is using. */
  readonly inUse: ReadonlySet<string | undefined>;
}
export interface SnapshotPlan {
  /** Snapshots to keep, oldest first. */
  readonly retained: readonly Snapshot[];
  /** Whether to start a snapshot now. */
  readonly isDue: boolean;
  /** Milliseconds until the next decision. */
  readonly requeueAfterMs?: number | undefined;
}

const RETRY_DELAY_MS = 30_000;

/**
 * Decides which snapshots to keep and whether to start another one. One snapshot is taken at a time; a failed one is retried later under a
 * new name.
 */
export function planSnapshots(snapshots: readonly Snapshot[], { now, keep, every, failed, inUse }: SnapshotSchedule): SnapshotPlan {
  const ordered = [...snapshots].sort((a, b) => a.name.localeCompare(b.name));
  const taken = ordered.filter(({ takenAt }) => takenAt !== "");
  const stale = taken.slice(0, Math.max(0, taken.length - keep)).filter(({ name }) => !inUse.has(name));
  const pending = ordered.find(({ takenAt }) => takenAt === "");
  const retained = ordered.filter((snapshot) => !stale.includes(snapshot));
  const failedAt = pending && failed.get(pending.name);
  if (pending !== undefined && failedAt === undefined) return { retained, isDue: false };
  if (pending !== undefined && failedAt! + RETRY_DELAY_MS > now)
    return { retained, isDue: false, requeueAfterMs: failedAt! + RETRY_DELAY_MS - now };
  const rest = retained.filter((snapshot) => snapshot !== pending);
  const last = taken.at(-1);
  if (last === undefined) return { retained: rest, isDue: true, requeueAfterMs: RETRY_DELAY_MS };
  if (every === undefined) return { retained: rest, isDue: false };
  const left = Date.parse(last.takenAt) + every - now;
  return left > 0
    ? { retained: rest, isDue: false, requeueAfterMs: left }
    : { retained: rest, isDue: true, requeueAfterMs: RETRY_DELAY_MS };
}
