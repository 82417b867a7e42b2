import { Pod } from "pintle/kinds/core/v1";
import type { Volume } from "../decide/index.ts";
import type { EtcdCluster } from "../etcd-cluster.ts";
import { clientURL, etcdImage, LABEL, PORTS, peerURL, urlScheme } from "../members.ts";
import { PEER_NAME, secretNames } from "./certificates.ts";
import { SETTINGS, STATE } from "./claim.ts";

const JOIN_ANNOTATION = "etcd.pintle.dev/join";
const FORCE_NEW_CLUSTER_ANNOTATION = "etcd.pintle.dev/force-new-cluster";
export const DATA_MOUNT = "/var/lib/etcd";
export const DATA_DIR = `${DATA_MOUNT}/data`;
const TLS = "/etc/etcd/tls";

/** Returns the etcd flags that follow from the spec; changing them requires a new pod. */
export function serverSettings({ spec: { quotaMegabytes, compactAfter } }: EtcdCluster): string {
  return [`--quota-backend-bytes=${quotaMegabytes * 1024 * 1024}`, `--auto-compaction-retention=${compactAfter}`].join(" ");
}

/** Only image and annotations of a pod can be changed in place; for anything else it must be recreated. */
export function podMatchesVolume({ metadata: { annotations } }: Pod, { settings, state }: Volume): boolean {
  return annotations?.[SETTINGS] === settings && (state !== "recovering" || annotations[STATE] === state);
}

export function podFor(cluster: EtcdCluster, volume: Volume) {
  const { name, state, version, settings } = volume;
  const labels = { [LABEL]: cluster.metadata.name };
  const { tls } = cluster.spec;
  const fromAnnotation = (annotation: string) => ({ fieldRef: { fieldPath: `metadata.annotations['${annotation}']` } });
  return Pod.desired({
    metadata: {
      name,
      labels,
      annotations: {
        [STATE]: state,
        [SETTINGS]: settings,
        // Read through the downward API at every container start.
        [JOIN_ANNOTATION]: state === "new" ? "new" : "existing",
        [FORCE_NEW_CLUSTER_ANNOTATION]: String(state === "recovering"),
      },
    },
    spec: {
      hostname: name,
      subdomain: `${cluster.metadata.name}-peers`,
      terminationGracePeriodSeconds: 10,
      topologySpreadConstraints: [
        { maxSkew: 1, topologyKey: "kubernetes.io/hostname", whenUnsatisfiable: "ScheduleAnyway", labelSelector: { matchLabels: labels } },
      ],
      containers: [
        {
          name: "etcd",
          image: etcdImage(version),
          command: ["etcd"],
          args: [...serverFlags(cluster, volume), ...settings.split(" "), ...(tls ? TLS_FLAGS : [])],
          env: [
            { name: "ETCD_INITIAL_CLUSTER_STATE", valueFrom: fromAnnotation(JOIN_ANNOTATION) },
            { name: "ETCD_FORCE_NEW_CLUSTER", valueFrom: fromAnnotation(FORCE_NEW_CLUSTER_ANNOTATION) },
          ],
          ports: [
            { name: "client", containerPort: PORTS.client },
            { name: "peer", containerPort: PORTS.peer },
            { name: "metrics", containerPort: PORTS.metrics },
          ],
          resources: { requests: { cpu: "50m", memory: "64Mi" } },
          // A member that is out of space still responds and must stay reachable.
          readinessProbe: {
            httpGet: { path: "/health?serializable=true&exclude=NOSPACE", port: PORTS.metrics },
            periodSeconds: 1,
            timeoutSeconds: 3,
            failureThreshold: 3,
          },
          volumeMounts: [{ name: "data", mountPath: DATA_MOUNT }, ...(tls ? [{ name: "tls", mountPath: TLS, readOnly: true }] : [])],
        },
      ],
      volumes: [
        { name: "data", persistentVolumeClaim: { claimName: name } },
        ...(tls ? [{ name: "tls", secret: { secretName: secretNames(cluster).members } }] : []),
      ],
    },
  });
}

function serverFlags(cluster: EtcdCluster, { name, initialCluster, history }: Volume): readonly string[] {
  const scheme = urlScheme(cluster);
  return [
    `--name=${name}`,
    `--data-dir=${DATA_DIR}`,
    `--listen-peer-urls=${scheme}://0.0.0.0:${PORTS.peer}`,
    `--listen-client-urls=${scheme}://0.0.0.0:${PORTS.client}`,
    `--listen-metrics-urls=http://0.0.0.0:${PORTS.metrics}`,
    `--initial-advertise-peer-urls=${peerURL(cluster, name)}`,
    `--advertise-client-urls=${clientURL(cluster, name)}`,
    `--initial-cluster=${initialCluster}`,
    `--initial-cluster-token=${history || cluster.metadata.uid}`,
    // Twice the default, so that a slow disk does not cause leader elections.
    "--heartbeat-interval=200",
    "--election-timeout=2000",
  ];
}

const TLS_FLAGS = [
  "--client-cert-auth",
  `--trusted-ca-file=${TLS}/ca.crt`,
  `--cert-file=${TLS}/server.crt`,
  `--key-file=${TLS}/server.key`,
  `--client-cert-file=${TLS}/peer.crt`,
  `--client-key-file=${TLS}/peer.key`,
  "--peer-client-cert-auth",
  `--peer-trusted-ca-file=${TLS}/ca.crt`,
  `--peer-cert-file=${TLS}/server.crt`,
  `--peer-key-file=${TLS}/server.key`,
  `--peer-client-cert-file=${TLS}/peer.crt`,
  `--peer-client-key-file=${TLS}/peer.key`,
  `--peer-cert-allowed-cn=${PEER_NAME}`,
];
