import { createHash } from "node:crypto";
import type { NewObject } from "pintle/client";
import type { Node, Pod, PodKind, PodStatus } from "pintle/kinds/core/v1";
import { MIRROR_ANNOTATION } from "../mirror-pod.ts";
import { buildRunningStatus } from "../simulated/pod-status.ts";
import type { EtcdClientConfig } from "./etcd-connection.ts";

/** Builds the static pod of etcd as kubeadm creates it: a mirror pod. */
export function buildEtcdPod(
  node: Node,
  name: string,
  { endpoints }: EtcdClientConfig,
  version: string | undefined,
  createdAt: string,
): NewObject<PodKind> {
  const hash = createHash("sha256").update(endpoints.join()).digest("hex").slice(0, 32);
  return {
    metadata: {
      name,
      namespace: "kube-system",
      labels: { component: "etcd", tier: "control-plane" },
      annotations: {
        "kubeadm.kubernetes.io/etcd.advertise-client-urls": endpoints.join(),
        "kubernetes.io/config.hash": hash,
        [MIRROR_ANNOTATION]: hash,
        "kubernetes.io/config.seen": createdAt,
        "kubernetes.io/config.source": "file",
      },
      ownerReferences: [{ apiVersion: "v1", kind: "Node", name: node.metadata.name, uid: node.metadata.uid, controller: true }],
    },
    spec: {
      nodeName: node.metadata.name,
      hostNetwork: true,
      priorityClassName: "system-node-critical",
      securityContext: { seccompProfile: { type: "RuntimeDefault" } },
      tolerations: [{ operator: "Exists", effect: "NoExecute" }],
      containers: [
        {
          name: "etcd",
          image: `registry.k8s.io/etcd${version === undefined ? "" : `:${version}-0`}`,
          imagePullPolicy: "IfNotPresent",
          command: ["etcd", `--advertise-client-urls=${endpoints.join()}`],
        },
      ],
    },
  };
}

/** Builds the status: always running, because the API server itself depends on it. */
export function buildEtcdPodStatus(pod: Pod, hostIP: string, now: string): PodStatus {
  return buildRunningStatus(pod, { podIP: hostIP, hostIP }, now);
}
