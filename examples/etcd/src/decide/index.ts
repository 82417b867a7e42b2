/** Decides the next step. Input: the observed and the desired state. Output: one step, as a value. These functions are pure. */
export { decideNextStep, highestOrdinal } from "./next-step.ts";
export {
  type ClusterObservation,
  type DesiredCluster,
  listVoters,
  type NextStep,
  type ObservedMember,
  type RestoreSource,
  type Volume,
  type VolumeState,
} from "./observation.ts";
export { planSnapshots, type Snapshot, type SnapshotSchedule } from "./plan-snapshots.ts";
export { compareVersions } from "./rolling-update.ts";
