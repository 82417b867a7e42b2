import { ordinalOf } from "../members.ts";
import type { Seen, Step, Wanted } from "./observed.ts";

export interface Renewal {
  /** What was begun does not come up, so nothing else may be. */
  readonly halted?: Step | undefined;
  /** While all are well: what to renew next. */
  readonly next?: Step | undefined;
}

/** Brings another version or other settings to one member at a time, the leader last. */
export function renewal(voters: readonly Seen[], { version, settings, replaceAfter }: Wanted): Renewal {
  const stale = voters
    .filter(({ volume }) => volume !== undefined && (volume.version !== version || volume.settings !== settings))
    .sort((a, b) => ordinalOf(a.name) - ordinalOf(b.name));
  const away = voters.filter(({ healthy }) => !healthy);
  const versions = voters.flatMap(({ volume }) => volume?.version ?? []).sort(byVersion);
  const [oldest] = versions;
  const whyNot = oldest === undefined ? undefined : forbidden(oldest, version);

  const [stuck] = away;
  if (stuck?.volume !== undefined && byVersion(stuck.volume.version, oldest!) > 0) {
    // Told to run something else: it cannot get worse.
    if (away.length === 1 && stuck.volume.version !== version && whyNot === undefined) return { halted: { do: "renew", seen: stuck } };
    if (stuck.awayFor > replaceAfter)
      return { halted: { do: "refuse", reason: "UpgradeHalted", why: `${stuck.name} does not come up with ${stuck.volume.version}` } };
    return { halted: { do: "wait", why: `${stuck.name} is to run ${stuck.volume.version}` } };
  }
  const settling = voters.find(({ volume, running, fitted }) => volume !== undefined && (running !== volume.version || !fitted));
  if (settling !== undefined) return { next: { do: "wait", why: `${settling.name} is to run ${settling.volume!.version}` } };
  if (stale.length === 0) return {};
  if (whyNot !== undefined) return { next: { do: "refuse", reason: "UpgradeRefused", why: whyNot } };
  const follower = stale.find(({ leader }) => !leader);
  if (follower !== undefined) return { next: { do: "renew", seen: follower } };
  const [leader] = stale;
  const heir = voters.find((each) => each !== leader);
  return { next: heir === undefined ? { do: "renew", seen: leader! } : { do: "hand over", from: leader!, to: heir } };
}

/** etcd goes up by one minor version at a time, and back only until all members have gone up. */
function forbidden(from: string, to: string): string | undefined {
  const minor = (version: string) => Number(version.split(".")[1]);
  const step = minor(to) - minor(from);
  if (step === 0 || step === 1) return undefined;
  return step < 0
    ? `${from} cannot go back to ${to}: etcd supports no downgrade of a minor version here`
    : `${from} cannot go to ${to} at once: go through 3.${minor(from) + 1} first`;
}

export function byVersion(a: string, b: string): number {
  return a.localeCompare(b, "en", { numeric: true });
}
