import type { Seen, Step } from "./observed.ts";

/** What a defragmentation must free at least to be worth a moment's silence. */
const WORTH = 8 * 1024 * 1024;

/** The member with the emptiest database, if it is empty enough; the leader last. */
export function tidying(voters: readonly Seen[], atPercent: number): Step {
  const wasteful = voters.filter(({ size, used }) => size - used >= WORTH && (size - used) * 100 >= size * atPercent);
  const [next] = leaderLast(wasteful);
  return next === undefined ? { do: "nothing" } : { do: "defragment", seen: next };
}

/** A member without room: every one gives back what it does not need. */
export function freeing(seen: readonly Seen[]): Step {
  const members = seen.filter(({ member }) => member !== undefined);
  const away = members.filter(({ healthy }) => !healthy);
  if (away.length > members.length / 2) return { do: "wait", why: "there is no room for more, and too many are away to make some" };
  return { do: "free space", order: leaderLast(members.filter(({ healthy }) => healthy)) };
}

function leaderLast(seen: readonly Seen[]): readonly Seen[] {
  return [...seen].sort((a, b) => Number(a.leader) - Number(b.leader));
}
