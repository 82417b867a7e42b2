import { Job } from "pintle/kinds/batch/v1";
import type { Container, Volume as PodVolume } from "pintle/kinds/core/v1";
import type { Volume } from "../decide/index.ts";
import type { EtcdCluster } from "../etcd-cluster.ts";
import { clientURL, etcdImage, LABEL } from "../members.ts";
import { secretNames } from "./certificates.ts";
import { DATA_DIR, DATA_MOUNT } from "./pod.ts";

const SNAPSHOT_MOUNT = "/snapshot";
const SNAPSHOT_FILE = `${SNAPSHOT_MOUNT}/snapshot.db`;
const TLS = "/etc/etcd/client-tls";

export interface SnapshotSource {
  readonly cluster: EtcdCluster;
  readonly member: string;
  readonly version: string;
}

/**
 * Returns a Job that saves a snapshot of a member to the claim of the same name. etcdctl verifies the file and renames it when it is
 * complete.
 */
export function snapshotJobFor(claim: string, { cluster, member, version }: SnapshotSource) {
  const { tls } = cluster.spec;
  const proof = tls ? [`--cacert=${TLS}/ca.crt`, `--cert=${TLS}/tls.crt`, `--key=${TLS}/tls.key`] : [];
  const container = {
    name: "snapshot",
    image: etcdImage(version),
    command: ["etcdctl"],
    args: [`--endpoints=${clientURL(cluster, member)}`, ...proof, "snapshot", "save", SNAPSHOT_FILE],
    volumeMounts: [{ name: "snapshot", mountPath: SNAPSHOT_MOUNT }, ...(tls ? [{ name: "tls", mountPath: TLS, readOnly: true }] : [])],
  };
  const secret = tls ? [{ name: "tls", secret: { secretName: secretNames(cluster).client } }] : [];
  return buildJob(claim, container, [{ name: "snapshot", persistentVolumeClaim: { claimName: claim } }, ...secret], 2);
}

/**
 * Returns a Job that restores a snapshot into the data folder of a member that has not started. It is not retried, because a partial
 * restore blocks the next one.
 */
export function restoreJobFor(cluster: EtcdCluster, { name, initialCluster, version, history, snapshot }: Volume) {
  const [, peer = ""] = initialCluster.split("=");
  const container = {
    name: "unpack",
    image: etcdImage(version),
    command: ["etcdutl"],
    args: [
      "snapshot",
      "restore",
      SNAPSHOT_FILE,
      `--name=${name}`,
      `--data-dir=${DATA_DIR}`,
      `--initial-cluster=${initialCluster}`,
      `--initial-advertise-peer-urls=${peer}`,
      `--initial-cluster-token=${history}`,
    ],
    volumeMounts: [
      { name: "snapshot", mountPath: SNAPSHOT_MOUNT, readOnly: true },
      { name: "data", mountPath: DATA_MOUNT },
    ],
  };
  const volumes = [
    { name: "snapshot", persistentVolumeClaim: { claimName: snapshot } },
    { name: "data", persistentVolumeClaim: { claimName: name } },
  ];
  return buildJob(name, container, volumes, 0, { [LABEL]: cluster.metadata.name });
}

export function jobOutcome({ status }: Job): "done" | "failed" | "running" {
  const hasCondition = (wanted: string) =>
    status.conditions?.some(({ type, status: value }) => type === wanted && value === "True") === true;
  return hasCondition("Complete") ? "done" : hasCondition("Failed") ? "failed" : "running";
}

function buildJob(
  name: string,
  container: Partial<Container> & { name: string },
  volumes: readonly PodVolume[],
  backoffLimit: number,
  labels = {},
) {
  return Job.desired({
    metadata: { name, labels },
    spec: {
      backoffLimit,
      template: { spec: { restartPolicy: "Never", containers: [container], volumes: [...volumes] } },
    },
  });
}
