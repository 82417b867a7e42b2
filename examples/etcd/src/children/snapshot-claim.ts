import { PersistentVolumeClaim } from "pintle/kinds/core/v1";
import type { Snapshot } from "../decide/index.ts";
import type { EtcdBackup } from "../etcd-backup.ts";

const MEMBER = "etcd.pintle.dev/member";
const REVISION = "etcd.pintle.dev/revision";
const VERSION = "etcd.pintle.dev/version";
const TAKEN_AT = "etcd.pintle.dev/taken-at";

export function snapshotClaimFor({ spec: { storage } }: EtcdBackup, { name, member, revision, version, takenAt }: Snapshot) {
  return PersistentVolumeClaim.desired({
    metadata: { name, annotations: { [MEMBER]: member, [REVISION]: String(revision), [VERSION]: version, [TAKEN_AT]: takenAt } },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage } } },
  });
}

export function snapshotFromClaim({ metadata: { name, annotations } }: PersistentVolumeClaim): Snapshot | undefined {
  const { [MEMBER]: member, [REVISION]: revision, [VERSION]: version, [TAKEN_AT]: takenAt } = annotations ?? {};
  if (member === undefined || revision === undefined || version === undefined || takenAt === undefined) return undefined;
  return { name, member, revision: Number(revision), version, takenAt };
}
