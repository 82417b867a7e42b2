import { ordinalOf } from "../members.ts";
import { planDefragmentation, planSpaceRecovery } from "./defragmentation.ts";
import { type ClusterObservation, type DesiredCluster, joinNames, listVoters, type NextStep, type ObservedMember } from "./observation.ts";
import { planRollingUpdate } from "./rolling-update.ts";

/** A learner needs time for its volume, its start and the snapshot transfer; replacing it earlier would only start over. */
const LEARNER_TIMEOUT_FACTOR = 5;

/**
 * Returns the one safe step to execute next. Membership changes one member at a time, and only while enough other voters are healthy to
 * keep the quorum; members are updated only while all are healthy.
 */
export function decideNextStep(observed: ClusterObservation, desired: DesiredCluster): NextStep {
  const { memberList, observedMembers } = observed;
  const volumes = observedMembers.flatMap(({ volume }) => volume ?? []);
  const { restore, lastOrdinal, replaceAfterMs } = desired;
  if (restore !== undefined && !volumes.some(({ history }) => history === restore.history))
    return volumes.length > 0
      ? { do: "clear", message: `a restore replaces the data of ${joinNames(observedMembers)}` }
      : { do: "seed", ordinal: lastOrdinal + 1, restore };
  if (volumes.length === 0 && (memberList ?? []).length === 0)
    return lastOrdinal === 0
      ? { do: "seed", ordinal: 1 }
      : { do: "refuse", reason: "DataLost", message: "all volumes are lost: a new cluster would be empty" };
  if (memberList === undefined) return withoutQuorum(observed, desired);
  // A larger quota in the spec also resolves the alarm.
  if (observed.outOfSpaceIds.length > 0 && volumes.every(({ settings }) => settings === desired.settings))
    return planSpaceRecovery(observedMembers);

  const unfinished = observedMembers.find(({ member, volume }) => member !== undefined && member.name === "" && volume === undefined);
  if (unfinished !== undefined) return { do: "wait", message: `waiting for the volume of ${unfinished.name}` };
  const learner = observedMembers.find(({ member }) => member?.learner === true);
  if (learner !== undefined) {
    const isFailed = learner.volume === undefined || learner.notReadyForMs > LEARNER_TIMEOUT_FACTOR * replaceAfterMs;
    if (isFailed && !learner.healthy) return { do: "remove", target: learner, message: "the learner did not catch up" };
    return learner.healthy ? { do: "promote", target: learner } : { do: "wait", message: `${learner.name} is starting` };
  }
  return nextVoterStep(listVoters(observed), observed, desired);
}

function nextVoterStep(voters: readonly ObservedMember[], observed: ClusterObservation, desired: DesiredCluster): NextStep {
  const { size, replaceAfterMs, lastOrdinal } = desired;
  const healthyVoters = voters.filter(({ healthy }) => healthy);
  const unhealthyVoters = voters.filter(({ healthy }) => !healthy);
  const update = planRollingUpdate(voters, desired);
  // If the new version does not start, a replacement would not start either.
  if (update.blocked !== undefined) return update.blocked;
  // A member without volume is lost even if it still responds.
  const lost =
    voters.find(({ healthy, volume, notReadyForMs }) => volume === undefined || (!healthy && notReadyForMs > replaceAfterMs)) ??
    (unhealthyVoters.length === 0 && voters.length > 2 ? voters.find(({ unhealthyReason }) => unhealthyReason !== undefined) : undefined);
  // Without it, the remaining members must have a majority.
  const rest = healthyVoters.filter((each) => each !== lost);
  if (lost !== undefined && rest.length > (voters.length - 1) / 2)
    return removeOrMoveLeader(lost, rest, lost.unhealthyReason ?? "the member is lost");
  if (lost !== undefined && lost.volume === undefined)
    return { do: "wait", message: `${lost.name} has lost its volume, and too many other members are unavailable` };
  if (unhealthyVoters.length > 0) return { do: "wait", message: `unhealthy: ${joinNames(unhealthyVoters)}` };

  if (voters.length < size) return { do: "add", ordinal: Math.max(lastOrdinal, highestOrdinal(observed.observedMembers)) + 1 };
  const [youngest] = [...voters].sort((a, b) => ordinalOf(b.name) - ordinalOf(a.name));
  const others = voters.filter((each) => each !== youngest);
  if (voters.length > size) return removeOrMoveLeader(youngest!, others, "the desired size is smaller");
  return update.next ?? planDefragmentation(voters, desired.defragmentAtPercent);
}

function withoutQuorum({ observedMembers, voterCount }: ClusterObservation, { recoverFrom, replaceAfterMs }: DesiredCluster): NextStep {
  const started = observedMembers.filter(({ volume }) => volume !== undefined);
  if (started.every(({ volume }) => volume!.state !== "existing")) return { do: "wait", message: `${joinNames(started)} is starting` };
  const recovering = started.filter(({ healthy, notReadyForMs }) => healthy || notReadyForMs <= replaceAfterMs);
  if (recovering.length > voterCount / 2) return { do: "wait", message: "waiting for a leader" };
  const survivor = started.find(({ name }) => name === recoverFrom);
  if (survivor !== undefined) return { do: "recover", target: survivor };
  const healthyMembers = started.filter(({ healthy }) => healthy);
  const message = `quorum lost: ${healthyMembers.length} of ${voterCount} members respond; nothing is changed until a majority is back`;
  return { do: "refuse", reason: "QuorumLost", message };
}

/** A healthy leader transfers its leadership before it is removed. */
function removeOrMoveLeader(target: ObservedMember, rest: readonly ObservedMember[], message: string): NextStep {
  const [successor] = rest;
  return target.leader && target.healthy && successor !== undefined
    ? { do: "hand over", from: target, to: successor }
    : { do: "remove", target, message };
}

export function highestOrdinal(members: readonly ObservedMember[]): number {
  return Math.max(0, ...members.map(({ name }) => ordinalOf(name)));
}
