import { controller } from "pintle";
import { EtcdBackup } from "./etcd-backup.ts";
import { EtcdCluster } from "./etcd-cluster.ts";
import { EtcdRestore } from "./etcd-restore.ts";

/** Selects the snapshot once and reports progress. The cluster controller performs the restore, because only it changes members. */
export const restore = controller(EtcdRestore, {
  watches: {
    cluster: { kind: EtcdCluster, by: { name: ({ spec }) => spec.cluster } },
    backup: { kind: EtcdBackup, by: { name: ({ spec }) => spec.backup } },
  },
  reconcile({ object, related, want }) {
    const { spec, metadata } = object;
    const [cluster] = related.cluster;
    const [backup] = related.backup;
    const snapshots = backup?.status?.snapshots ?? [];
    const chosen = object.status?.snapshot || (spec.snapshot ?? backup?.status?.latest ?? "");
    const found = snapshots.find(({ name }) => name === chosen);
    const isOver = object.status?.conditions?.some(({ type, status }) => type === "Complete" && status === "True") === true;
    const buildResult = (isComplete: boolean, reason: string, message: string, snapshot = "") =>
      want({ status: { snapshot }, conditions: { Complete: { status: isComplete, reason, message } } });

    if (isOver || cluster?.status?.history === metadata.uid)
      return buildResult(true, "Restored", `${spec.cluster} was restored from ${chosen}`, chosen);
    if (backup === undefined) return buildResult(false, "NoBackup", `EtcdBackup ${spec.backup} not found`);
    if (found === undefined)
      return buildResult(
        false,
        "NoSnapshot",
        chosen === "" ? `${spec.backup} has no snapshot yet` : `${spec.backup} has no snapshot ${chosen}`,
      );
    if (cluster === undefined) return buildResult(false, "NoCluster", `EtcdCluster ${spec.cluster} not found`, chosen);
    if (minor(cluster.spec.version) < minor(found.version))
      return buildResult(false, "Refused", `${chosen} was taken with etcd ${found.version}, which ${cluster.spec.version} cannot read`);
    return buildResult(false, "Restoring", `restoring ${spec.cluster} from ${chosen}`, chosen);
  },
});

function minor(version: string): number {
  return Number(version.split(".")[1]);
}
