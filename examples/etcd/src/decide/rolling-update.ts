import { ordinalOf } from "../members.ts";
import type { DesiredCluster, NextStep, ObservedMember } from "./observation.ts";

export interface RollingUpdate {
  /** Set if an update is in progress or does not succeed; no other step is allowed then. */
  readonly blocked?: NextStep | undefined;
  /** The next update, if all members are healthy. */
  readonly next?: NextStep | undefined;
}

/** Updates version and settings of one member at a time, the leader last. */
export function planRollingUpdate(voters: readonly ObservedMember[], { version, settings, replaceAfterMs }: DesiredCluster): RollingUpdate {
  const outdated = voters
    .filter(({ volume }) => volume !== undefined && (volume.version !== version || volume.settings !== settings))
    .sort((a, b) => ordinalOf(a.name) - ordinalOf(b.name));
  const unhealthy = voters.filter(({ healthy }) => !healthy);
  const versions = voters.flatMap(({ volume }) => volume?.version ?? []).sort(compareVersions);
  const [oldest] = versions;
  const skewError = oldest === undefined ? undefined : versionSkewError(oldest, version);

  const [stuck] = unhealthy;
  if (stuck?.volume !== undefined && compareVersions(stuck.volume.version, oldest!) > 0) {
    // The spec asks for another version, so the stuck member can be updated again.
    if (unhealthy.length === 1 && stuck.volume.version !== version && skewError === undefined)
      return { blocked: { do: "renew", target: stuck } };
    if (stuck.notReadyForMs > replaceAfterMs)
      return {
        blocked: { do: "refuse", reason: "UpgradeHalted", message: `${stuck.name} does not start with version ${stuck.volume.version}` },
      };
    return { blocked: { do: "wait", message: `waiting for ${stuck.name} to run ${stuck.volume.version}` } };
  }
  const updating = voters.find(
    ({ volume, runningVersion, podMatchesVolume }) => volume !== undefined && (runningVersion !== volume.version || !podMatchesVolume),
  );
  if (updating !== undefined) return { next: { do: "wait", message: `waiting for ${updating.name} to run ${updating.volume!.version}` } };
  if (outdated.length === 0) return {};
  if (skewError !== undefined) return { next: { do: "refuse", reason: "UpgradeRefused", message: skewError } };
  const follower = outdated.find(({ leader }) => !leader);
  if (follower !== undefined) return { next: { do: "renew", target: follower } };
  const [leader] = outdated;
  const successor = voters.find((each) => each !== leader);
  return { next: successor === undefined ? { do: "renew", target: leader! } : { do: "hand over", from: leader!, to: successor } };
}

/** etcd supports upgrades by one minor version, and no downgrade once all members are upgraded. */
function versionSkewError(from: string, to: string): string | undefined {
  const minor = (version: string) => Number(version.split(".")[1]);
  const step = minor(to) - minor(from);
  if (step === 0 || step === 1) return undefined;
  return step < 0
    ? `cannot downgrade from ${from} to ${to}: etcd does not support downgrades of minor versions`
    : `cannot upgrade from ${from} to ${to}: upgrade to 3.${minor(from) + 1} first`;
}

export function compareVersions(a: string, b: string): number {
  return a.localeCompare(b, "en", { numeric: true });
}
