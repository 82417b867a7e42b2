import { PersistentVolumeClaim, Pod, Service } from "pintle/kinds/core/v1";
import { PodDisruptionBudget } from "pintle/kinds/policy/v1";
import type { Volume } from "./analyse.ts";
import type { EtcdCluster } from "./etcd-cluster.ts";

export const LABEL = "etcd.pintle.dev/cluster";
const INITIAL_CLUSTER = "etcd.pintle.dev/initial-cluster";
const STATE = "etcd.pintle.dev/state";
const VERSION = "etcd.pintle.dev/version";
const CLIENT = 2379;
const PEER = 2380;

export function peerURL({ metadata: { name, namespace } }: EtcdCluster, member: string): string {
  return `http://${member}.${name}-peers.${namespace}.svc:${PEER}`;
}

export function endpointOf({ status: { podIP } }: Pod): string | undefined {
  return podIP === undefined ? undefined : `http://${podIP.includes(":") ? `[${podIP}]` : podIP}:${CLIENT}`;
}

/** Members find each other before they are ready, clients only afterwards. */
export function servicesFor({ metadata: { name } }: EtcdCluster) {
  const labels = { [LABEL]: name };
  const peer = { name: "peer", port: PEER };
  const client = { name: "client", port: CLIENT };
  return [
    Service.desired({
      metadata: { name: `${name}-peers`, labels },
      spec: { clusterIP: "None", publishNotReadyAddresses: true, selector: labels, ports: [peer, client] },
    }),
    Service.desired({ metadata: { name, labels }, spec: { selector: labels, ports: [client] } }),
  ];
}

/** Nobody may take away so many members at once that the quorum goes with them. */
export function budgetFor({ metadata: { name }, spec: { size } }: EtcdCluster) {
  const labels = { [LABEL]: name };
  return PodDisruptionBudget.desired({
    metadata: { name, labels },
    spec: { maxUnavailable: Math.floor((size - 1) / 2), selector: { matchLabels: labels } },
  });
}

export function claimFor({ metadata, spec: { storage } }: EtcdCluster, { name, initialCluster, state, version }: Volume) {
  return PersistentVolumeClaim.desired({
    metadata: {
      name,
      labels: { [LABEL]: metadata.name },
      annotations: { [INITIAL_CLUSTER]: initialCluster, [STATE]: state, [VERSION]: version },
    },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage } } },
  });
}

/** What is written on a claim; undefined where something is missing. */
export function volumeOf({ metadata: { name, annotations } }: PersistentVolumeClaim): Volume | undefined {
  const { [INITIAL_CLUSTER]: initialCluster, [STATE]: state, [VERSION]: version } = annotations ?? {};
  if (initialCluster === undefined || version === undefined) return undefined;
  return { name, ordinal: Number(/-(\d+)$/.exec(name)?.[1]), initialCluster, state: state === "new" ? "new" : "existing", version };
}

/** Only the image and the annotation ever change, which a pod allows; the annotation is read anew with every start. */
export function podFor(cluster: EtcdCluster, { name, initialCluster, state, version }: Volume) {
  const { name: owner, uid } = cluster.metadata;
  const self = `http://$(POD_IP)`;
  return Pod.desired({
    metadata: { name, labels: { [LABEL]: owner }, annotations: { [STATE]: state } },
    spec: {
      hostname: name,
      subdomain: `${owner}-peers`,
      terminationGracePeriodSeconds: 10,
      containers: [
        {
          name: "etcd",
          image: `quay.io/coreos/etcd:v${version}`,
          command: ["etcd"],
          args: [
            `--name=${name}`,
            "--data-dir=/var/lib/etcd/data",
            "--listen-peer-urls=http://0.0.0.0:2380",
            "--listen-client-urls=http://0.0.0.0:2379",
            `--initial-advertise-peer-urls=${peerURL(cluster, name)}`,
            `--advertise-client-urls=${self}:2379`,
            `--initial-cluster=${initialCluster}`,
            `--initial-cluster-token=${uid}`,
          ],
          env: [
            { name: "POD_IP", valueFrom: { fieldRef: { fieldPath: "status.podIP" } } },
            { name: "ETCD_INITIAL_CLUSTER_STATE", valueFrom: { fieldRef: { fieldPath: `metadata.annotations['${STATE}']` } } },
          ],
          ports: [
            { name: "client", containerPort: CLIENT },
            { name: "peer", containerPort: PEER },
          ],
          readinessProbe: { httpGet: { path: "/health?serializable=true", port: CLIENT }, periodSeconds: 1, failureThreshold: 2 },
          volumeMounts: [{ name: "data", mountPath: "/var/lib/etcd" }],
        },
      ],
      volumes: [{ name: "data", persistentVolumeClaim: { claimName: name } }],
    },
  });
}
