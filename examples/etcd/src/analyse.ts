import type { Member } from "./gateway.ts";

/** What a member is made of, written on its volume: so it outlives the pod, and the operator. */
export interface Volume {
  readonly name: string;
  /** Counted up, never used twice. */
  readonly ordinal: number;
  /** Who was there when it began; etcd reads that only once. */
  readonly initialCluster: string;
  /** "new" only until the cluster has answered for the first time: a seed that lost its data must never begin another cluster. */
  readonly state: "new" | "existing";
  readonly version: string;
}

/** A member, its volume and its pod, as far as each is there. */
export interface Seen {
  readonly name: string;
  readonly volume?: Volume | undefined;
  readonly member?: Member | undefined;
  /** It answers, and so does its pod. */
  readonly healthy: boolean;
  readonly leader: boolean;
  /** What it runs, as far as is known. */
  readonly running?: string | undefined;
  /** Milliseconds since it was last well. */
  readonly awayFor: number;
}

export interface Observed {
  /** Undefined: there is no quorum, or nobody to ask. */
  readonly members: readonly Member[] | undefined;
  readonly seen: readonly Seen[];
}

export interface Wanted {
  readonly size: number;
  readonly version: string;
  readonly replaceAfter: number;
  /** The highest number that a member ever had. */
  readonly lastOrdinal: number;
}

export type Step =
  | { readonly do: "seed" }
  | { readonly do: "add"; readonly ordinal: number }
  | { readonly do: "promote"; readonly seen: Seen }
  | { readonly do: "remove"; readonly seen: Seen; readonly why: string }
  | { readonly do: "hand over"; readonly from: Seen; readonly to: Seen }
  | { readonly do: "upgrade"; readonly seen: Seen }
  | { readonly do: "wait"; readonly why: string }
  | { readonly do: "refuse"; readonly why: string }
  | { readonly do: "nothing" };

/**
 * The one safe step that comes next. Membership changes one member at a time, only while all others that vote are well enough
 * that the change cannot cost the quorum; a member is upgraded only while all are well.
 */
export function analyse({ members, seen }: Observed, { size, version, replaceAfter, lastOrdinal }: Wanted): Step {
  if (seen.every(({ volume }) => volume === undefined) && (members ?? []).length === 0)
    return lastOrdinal === 0 ? { do: "seed" } : { do: "refuse", why: "every volume is gone: a new cluster would be an empty one" };
  if (members === undefined) return noQuorum(seen);

  const unfinished = seen.find(({ member, volume }) => member !== undefined && member.name === "" && volume === undefined);
  if (unfinished !== undefined) return { do: "wait", why: `the volume of ${unfinished.name} is to be made` };
  const learner = seen.find(({ member }) => member?.learner === true);
  if (learner !== undefined) {
    if (learner.awayFor > replaceAfter && !learner.healthy) return { do: "remove", seen: learner, why: "it never caught up" };
    return learner.healthy ? { do: "promote", seen: learner } : { do: "wait", why: `${learner.name} is starting` };
  }

  const voters = seen.filter(({ member }) => member !== undefined);
  const well = voters.filter(({ healthy }) => healthy);
  // One whose volume goes has no future, however well it is now.
  const lost = voters.find(({ healthy, volume, awayFor }) => volume === undefined || (!healthy && awayFor > replaceAfter));
  // Without it, the rest must still be a majority of what is then left.
  const rest = well.filter((each) => each !== lost);
  if (lost !== undefined && rest.length > (voters.length - 1) / 2) return leaving(lost, rest, "it is gone");
  if (lost?.volume === undefined && lost !== undefined)
    return { do: "wait", why: `${lost.name} has lost its volume, and too many others are away` };
  if (well.length < voters.length) return { do: "wait", why: `not well: ${names(voters.filter(({ healthy }) => !healthy))}` };

  if (voters.length < size) return { do: "add", ordinal: Math.max(lastOrdinal, highestOrdinal(seen)) + 1 };
  const [youngest] = [...voters].sort(byOrdinal).reverse();
  if (voters.length > size)
    return leaving(
      youngest!,
      voters.filter((each) => each !== youngest),
      "fewer members are wanted",
    );
  return upgrade(voters, version);
}

function noQuorum(seen: readonly Seen[]): Step {
  const well = seen.filter(({ healthy }) => healthy);
  const begun = seen.filter(({ volume }) => volume !== undefined);
  if (begun.length === 1) return { do: "wait", why: `${names(begun)} is starting` };
  return {
    do: "refuse",
    why: `quorum is lost: of ${begun.length} members ${well.length} answer; nothing is changed until a majority is back`,
  };
}

/** A leader that can still do so hands over first. */
function leaving(seen: Seen, rest: readonly Seen[], why: string): Step {
  const [heir] = rest;
  return seen.leader && seen.healthy && heir !== undefined ? { do: "hand over", from: seen, to: heir } : { do: "remove", seen, why };
}

function upgrade(voters: readonly Seen[], version: string): Step {
  const stale = voters.filter(({ volume }) => volume!.version !== version).sort(byOrdinal);
  const settling = voters.find(({ volume, running }) => running !== volume!.version);
  if (settling !== undefined) return { do: "wait", why: `${settling.name} is to run ${settling.volume!.version}` };
  if (stale.length === 0) return { do: "nothing" };
  const whyNot = forbidden(stale[0]!.volume!.version, version);
  if (whyNot !== undefined) return { do: "refuse", why: whyNot };
  const next = stale.find(({ leader }) => !leader);
  if (next !== undefined) return { do: "upgrade", seen: next };
  const [leader] = stale;
  const heir = voters.find((each) => each !== leader);
  return heir === undefined ? { do: "upgrade", seen: leader! } : { do: "hand over", from: leader!, to: heir };
}

/** etcd goes up by one minor version at a time, and back within one. */
function forbidden(from: string, to: string): string | undefined {
  const minor = (version: string) => Number(version.split(".")[1]);
  const step = minor(to) - minor(from);
  if (step === 0 || step === 1) return undefined;
  return step < 0
    ? `${from} cannot go back to ${to}: etcd supports no downgrade of a minor version here`
    : `${from} cannot go to ${to} at once: go through 3.${minor(from) + 1} first`;
}

export function highestOrdinal(seen: readonly Seen[]): number {
  return Math.max(0, ...seen.map(ordinalOf));
}
function byOrdinal(a: Seen, b: Seen): number {
  return ordinalOf(a) - ordinalOf(b);
}
function ordinalOf({ name }: Seen): number {
  return Number(/-(\d+)$/.exec(name)?.[1] ?? 0);
}
function names(seen: readonly Seen[]): string {
  return seen.map(({ name }) => name).join(", ");
}
