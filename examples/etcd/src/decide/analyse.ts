import { ordinalOf } from "../members.ts";
import { names, type Observed, type Seen, type Step, votersOf, type Wanted } from "./observed.ts";
import { renewal } from "./renewal.ts";
import { freeing, tidying } from "./tidying.ts";

/** A learner has to get its volume, start and fetch everything; giving up on it sooner only begins the same anew. */
const LEARNER_PATIENCE = 5;

/**
 * The one safe step that comes next. Membership changes one member at a time, only while all others that vote are well enough
 * that the change cannot cost the quorum; a member is renewed only while all are well.
 */
export function analyse(observed: Observed, wanted: Wanted): Step {
  const { members, seen } = observed;
  const volumes = seen.flatMap(({ volume }) => volume ?? []);
  const { restore, lastOrdinal, replaceAfter } = wanted;
  if (restore !== undefined && !volumes.some(({ history }) => history === restore.history))
    return volumes.length > 0
      ? { do: "clear", why: `a restore replaces the data of ${names(seen)}` }
      : { do: "seed", ordinal: lastOrdinal + 1, restore };
  if (volumes.length === 0 && (members ?? []).length === 0)
    return lastOrdinal === 0
      ? { do: "seed", ordinal: 1 }
      : { do: "refuse", reason: "DataLost", why: "every volume is gone: a new cluster would be an empty one" };
  if (members === undefined) return withoutQuorum(observed, wanted);
  // A larger quota, if that is what is wanted, makes room too.
  if (observed.full.length > 0 && volumes.every(({ settings }) => settings === wanted.settings)) return freeing(seen);

  const unfinished = seen.find(({ member, volume }) => member !== undefined && member.name === "" && volume === undefined);
  if (unfinished !== undefined) return { do: "wait", why: `the volume of ${unfinished.name} is to be made` };
  const learner = seen.find(({ member }) => member?.learner === true);
  if (learner !== undefined) {
    const hopeless = learner.volume === undefined || learner.awayFor > LEARNER_PATIENCE * replaceAfter;
    if (hopeless && !learner.healthy) return { do: "remove", seen: learner, why: "it never caught up" };
    return learner.healthy ? { do: "promote", seen: learner } : { do: "wait", why: `${learner.name} is starting` };
  }
  return voting(votersOf(observed), observed, wanted);
}

function voting(voters: readonly Seen[], observed: Observed, wanted: Wanted): Step {
  const { size, replaceAfter, lastOrdinal } = wanted;
  const well = voters.filter(({ healthy }) => healthy);
  const away = voters.filter(({ healthy }) => !healthy);
  const renewed = renewal(voters, wanted);
  // What it was renewed to does not start: a new member would not either.
  if (renewed.halted !== undefined) return renewed.halted;
  // One whose volume goes has no future, however well it is now.
  const lost =
    voters.find(({ healthy, volume, awayFor }) => volume === undefined || (!healthy && awayFor > replaceAfter)) ??
    (away.length === 0 && voters.length > 2 ? voters.find(({ unsound }) => unsound !== undefined) : undefined);
  // Without it, the rest must still be a majority of what is then left.
  const rest = well.filter((each) => each !== lost);
  if (lost !== undefined && rest.length > (voters.length - 1) / 2) return leaving(lost, rest, lost.unsound ?? "it is gone");
  if (lost !== undefined && lost.volume === undefined)
    return { do: "wait", why: `${lost.name} has lost its volume, and too many others are away` };
  if (away.length > 0) return { do: "wait", why: `not well: ${names(away)}` };

  if (voters.length < size) return { do: "add", ordinal: Math.max(lastOrdinal, highestOrdinal(observed.seen)) + 1 };
  const [youngest] = [...voters].sort((a, b) => ordinalOf(b.name) - ordinalOf(a.name));
  const others = voters.filter((each) => each !== youngest);
  if (voters.length > size) return leaving(youngest!, others, "fewer members are wanted");
  return renewed.next ?? tidying(voters, wanted.defragmentAt);
}

function withoutQuorum({ seen, voters }: Observed, { recoverFrom, replaceAfter }: Wanted): Step {
  const begun = seen.filter(({ volume }) => volume !== undefined);
  if (begun.every(({ volume }) => volume!.state !== "existing")) return { do: "wait", why: `${names(begun)} is starting` };
  const hopeful = begun.filter(({ healthy, awayFor }) => healthy || awayFor <= replaceAfter);
  if (hopeful.length > voters / 2) return { do: "wait", why: "there is no leader yet" };
  const survivor = begun.find(({ name }) => name === recoverFrom);
  if (survivor !== undefined) return { do: "recover", seen: survivor };
  const well = begun.filter(({ healthy }) => healthy);
  const why = `quorum is lost: of ${voters} members ${well.length} answer; nothing is changed until a majority is back`;
  return { do: "refuse", reason: "QuorumLost", why };
}

/** A leader that can still do so hands over first. */
function leaving(seen: Seen, rest: readonly Seen[], why: string): Step {
  const [heir] = rest;
  return seen.leader && seen.healthy && heir !== undefined ? { do: "hand over", from: seen, to: heir } : { do: "remove", seen, why };
}

export function highestOrdinal(seen: readonly Seen[]): number {
  return Math.max(0, ...seen.map(({ name }) => ordinalOf(name)));
}
