import type { Member } from "../gateway.ts";

/** What a member is made of, written on its volume: so it outlives the pod, and the operator. */
export interface Volume {
  readonly name: string;
  /** Who was there when it began; etcd reads that only once. */
  readonly initialCluster: string;
  readonly state: State;
  readonly version: string;
  /** Flags that follow from the cluster's spec; another pod is needed to change them. */
  readonly settings: string;
  /** The uid of the EtcdRestore that its data began with, or nothing. */
  readonly history: string;
  /** The claim of the snapshot that it began with, or nothing. */
  readonly snapshot: string;
  /** When its version or settings last changed: it may be away for as long again. Milliseconds. */
  readonly renewedAt: number;
}

/**
 * "new" only until the cluster has answered for the first time: a seed that lost its data must never begin another cluster.
 * "restoring" until a snapshot has been unpacked into it, "recovering" until it has forgotten the other members.
 */
export type State = "new" | "restoring" | "recovering" | "existing";

/** A member, its volume and its pod, as far as each is there. */
export interface Seen {
  readonly name: string;
  readonly volume?: Volume | undefined;
  readonly member?: Member | undefined;
  /** It answers, and its pod is ready. */
  readonly healthy: boolean;
  readonly leader: boolean;
  /** What it runs, as far as is known. */
  readonly running?: string | undefined;
  /** Its pod was made with its volume's settings. */
  readonly fitted: boolean;
  /** Milliseconds since its pod was last ready; 0 while it is. */
  readonly awayFor: number;
  /** It ended again and again, or has been much slower than the others for long. */
  readonly unsound?: string | undefined;
  /** Bytes of its database, and how many of them hold something. */
  readonly size: number;
  readonly used: number;
}

export interface Observed {
  /** Undefined: there is no quorum, or nobody to ask. */
  readonly members: readonly Member[] | undefined;
  /** How many have a vote; without a quorum, as far as those who answer know. */
  readonly voters: number;
  readonly seen: readonly Seen[];
  /** Ids of members that have no room for more. */
  readonly full: readonly string[];
  readonly revision: number;
}

export interface Wanted {
  readonly size: number;
  readonly version: string;
  readonly settings: string;
  readonly replaceAfter: number;
  readonly defragmentAt: number;
  /** The highest number that a member ever had. */
  readonly lastOrdinal: number;
  /** A snapshot that is to be the cluster's data. */
  readonly restore?: Restore | undefined;
  /** The member whose data is to be all there is, should the quorum be lost. */
  readonly recoverFrom?: string | undefined;
}
export interface Restore {
  /** Of the EtcdRestore: its uid. */
  readonly history: string;
  /** The claim that holds the snapshot. */
  readonly snapshot: string;
}

export type Step =
  | { readonly do: "seed"; readonly ordinal: number; readonly restore?: Restore | undefined }
  | { readonly do: "clear"; readonly why: string }
  | { readonly do: "recover"; readonly seen: Seen }
  | { readonly do: "add"; readonly ordinal: number }
  | { readonly do: "promote"; readonly seen: Seen }
  | { readonly do: "remove"; readonly seen: Seen; readonly why: string }
  | { readonly do: "hand over"; readonly from: Seen; readonly to: Seen }
  | { readonly do: "renew"; readonly seen: Seen }
  | { readonly do: "free space"; readonly order: readonly Seen[] }
  | { readonly do: "defragment"; readonly seen: Seen }
  | { readonly do: "wait"; readonly why: string }
  | { readonly do: "refuse"; readonly why: string; readonly reason: "QuorumLost" | "DataLost" | "UpgradeRefused" | "UpgradeHalted" }
  | { readonly do: "nothing" };

export function votersOf({ seen }: Observed): readonly Seen[] {
  return seen.filter(({ member }) => member !== undefined && !member.learner);
}
export function names(seen: readonly Seen[]): string {
  return seen.map(({ name }) => name).join(", ");
}
