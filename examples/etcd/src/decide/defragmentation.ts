import type { NextStep, ObservedMember } from "./observation.ts";

/** Minimum that a defragmentation must reclaim, because the member does not respond meanwhile. */
const MIN_RECLAIMABLE_BYTES = 8 * 1024 * 1024;

/** Returns a step that defragments the first member whose database is mostly empty; the leader comes last. */
export function planDefragmentation(voters: readonly ObservedMember[], atPercent: number): NextStep {
  const fragmented = voters.filter(
    ({ dbSizeBytes, dbUsedBytes }) =>
      dbSizeBytes - dbUsedBytes >= MIN_RECLAIMABLE_BYTES && (dbSizeBytes - dbUsedBytes) * 100 >= dbSizeBytes * atPercent,
  );
  const [next] = leaderLast(fragmented);
  return next === undefined ? { do: "nothing" } : { do: "defragment", target: next };
}

/** Returns a step that reclaims space on all members after one has exceeded its quota. */
export function planSpaceRecovery(observed: readonly ObservedMember[]): NextStep {
  const members = observed.filter(({ member }) => member !== undefined);
  const unhealthy = members.filter(({ healthy }) => !healthy);
  if (unhealthy.length > members.length / 2)
    return { do: "wait", message: "the quota is exceeded, and too many members are unavailable to reclaim space" };
  return { do: "free space", order: leaderLast(members.filter(({ healthy }) => healthy)) };
}

function leaderLast(members: readonly ObservedMember[]): readonly ObservedMember[] {
  return [...members].sort((a, b) => Number(a.leader) - Number(b.leader));
}
