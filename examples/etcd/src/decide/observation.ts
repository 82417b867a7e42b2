import type { Member } from "../gateway.ts";

/** The state of a member, stored as annotations of its claim, so that it survives the pod and the operator. */
export interface Volume {
  readonly name: string;
  /** The initial cluster flag; etcd reads it only at the first start. */
  readonly initialCluster: string;
  readonly state: VolumeState;
  readonly version: string;
  /** etcd flags that follow from the spec; changing them requires a new pod. */
  readonly settings: string;
  /** The uid of the EtcdRestore that the data comes from; empty if there is none. */
  readonly history: string;
  /** The claim of the restored snapshot; empty if there is none. */
  readonly snapshot: string;
  /** When version or settings last changed, in milliseconds; the member gets the full replacement delay again. */
  readonly renewedAt: number;
}

/**
 * "new" until the cluster has responded once, because a seed that lost its data must never bootstrap a second cluster. "restoring" until
 * the snapshot is restored, "recovering" until the other members are removed.
 */
export type VolumeState = "new" | "restoring" | "recovering" | "existing";

/** A member with its volume and pod, as far as they exist. */
export interface ObservedMember {
  readonly name: string;
  readonly volume?: Volume | undefined;
  readonly member?: Member | undefined;
  /** The member responds and its pod is ready. */
  readonly healthy: boolean;
  readonly leader: boolean;
  /** The version it runs, if known. */
  readonly runningVersion?: string | undefined;
  /** Whether the pod was created with the settings of the volume. */
  readonly podMatchesVolume: boolean;
  /** Milliseconds since the pod was last ready; 0 while it is ready. */
  readonly notReadyForMs: number;
  /** Set if the member restarts repeatedly or has been much slower than the others for a while. */
  readonly unhealthyReason?: string | undefined;
  /** Size of the database and the part that is in use, in bytes. */
  readonly dbSizeBytes: number;
  readonly dbUsedBytes: number;
}

export interface ClusterObservation {
  /** The member list of etcd; undefined without a quorum or a reachable member. */
  readonly memberList: readonly Member[] | undefined;
  /** Number of voters; without a quorum, as known to the members that respond. */
  readonly voterCount: number;
  readonly observedMembers: readonly ObservedMember[];
  /** IDs of members with a NOSPACE alarm. */
  readonly outOfSpaceIds: readonly string[];
  readonly revision: number;
}

export interface DesiredCluster {
  readonly size: number;
  readonly version: string;
  readonly settings: string;
  readonly replaceAfterMs: number;
  readonly defragmentAtPercent: number;
  /** The highest ordinal that any member has had. */
  readonly lastOrdinal: number;
  /** The snapshot to restore. */
  readonly restore?: RestoreSource | undefined;
  /** The member whose data replaces the cluster's data if the quorum is lost. */
  readonly recoverFrom?: string | undefined;
}
export interface RestoreSource {
  /** The uid of the EtcdRestore. */
  readonly history: string;
  /** The claim that holds the snapshot. */
  readonly snapshot: string;
}

export type NextStep =
  | { readonly do: "seed"; readonly ordinal: number; readonly restore?: RestoreSource | undefined }
  | { readonly do: "clear"; readonly message: string }
  | { readonly do: "recover"; readonly target: ObservedMember }
  | { readonly do: "add"; readonly ordinal: number }
  | { readonly do: "promote"; readonly target: ObservedMember }
  | { readonly do: "remove"; readonly target: ObservedMember; readonly message: string }
  | { readonly do: "hand over"; readonly from: ObservedMember; readonly to: ObservedMember }
  | { readonly do: "renew"; readonly target: ObservedMember }
  | { readonly do: "free space"; readonly order: readonly ObservedMember[] }
  | { readonly do: "defragment"; readonly target: ObservedMember }
  | { readonly do: "wait"; readonly message: string }
  | { readonly do: "refuse"; readonly message: string; readonly reason: "QuorumLost" | "DataLost" | "UpgradeRefused" | "UpgradeHalted" }
  | { readonly do: "nothing" };

export function listVoters({ observedMembers }: ClusterObservation): readonly ObservedMember[] {
  return observedMembers.filter(({ member }) => member !== undefined && !member.learner);
}
export function joinNames(members: readonly ObservedMember[]): string {
  return members.map(({ name }) => name).join(", ");
}
