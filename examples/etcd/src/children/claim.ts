import { PersistentVolumeClaim } from "pintle/kinds/core/v1";
import type { Volume, VolumeState } from "../decide/index.ts";
import type { EtcdCluster } from "../etcd-cluster.ts";
import { LABEL } from "../members.ts";

const PREFIX = "etcd.pintle.dev";
const INITIAL_CLUSTER = `${PREFIX}/initial-cluster`;
export const STATE = `${PREFIX}/state`;
export const SETTINGS = `${PREFIX}/settings`;
const VERSION = `${PREFIX}/version`;
const HISTORY = `${PREFIX}/history`;
const SNAPSHOT = `${PREFIX}/snapshot`;
const RENEWED_AT = `${PREFIX}/renewed-at`;

export function claimFor({ metadata, spec: { storage } }: EtcdCluster, volume: Volume) {
  const { name, initialCluster, state, version, settings, history, snapshot, renewedAt } = volume;
  return PersistentVolumeClaim.desired({
    metadata: {
      name,
      labels: { [LABEL]: metadata.name },
      annotations: {
        [INITIAL_CLUSTER]: initialCluster,
        [STATE]: state,
        [VERSION]: version,
        [SETTINGS]: settings,
        [HISTORY]: history,
        [SNAPSHOT]: snapshot,
        [RENEWED_AT]: String(renewedAt),
      },
    },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage } } },
  });
}

/** Reads a volume from the annotations of its claim; undefined if one is missing. */
export function volumeFromClaim({ metadata: { name, annotations } }: PersistentVolumeClaim): Volume | undefined {
  const {
    [INITIAL_CLUSTER]: initialCluster,
    [STATE]: state,
    [VERSION]: version,
    [SETTINGS]: settings = "",
    [HISTORY]: history = "",
    [SNAPSHOT]: snapshot = "",
    [RENEWED_AT]: renewedAt = "0",
  } = annotations ?? {};
  if (initialCluster === undefined || version === undefined) return undefined;
  const known = STATES.find((each) => each === state) ?? "existing";
  return { name, initialCluster, state: known, version, settings, history, snapshot, renewedAt: Number(renewedAt) };
}
const STATES: readonly VolumeState[] = ["new", "restoring", "recovering", "existing"];
