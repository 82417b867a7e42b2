import { createHash } from "node:crypto";
import type { NewObject } from "pintle/client";
import type { Node, Pod, PodKind, PodStatus } from "pintle/kinds/core/v1";
import { MIRROR } from "../mirror.ts";
import { runningStatus } from "../pod-status.ts";
import type { EtcdPlace } from "./etcd-place.ts";

/** etcd as a control plane made by kubeadm shows it: a pod that nobody started through the API. */
export function etcdObject(
  node: Node,
  name: string,
  { endpoints }: EtcdPlace,
  version: string | undefined,
  seen: string,
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
        [MIRROR]: hash,
        "kubernetes.io/config.seen": seen,
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

/** It runs, or there were no cluster to ask. */
export function etcdStatus(pod: Pod, hostIP: string, now: string): PodStatus {
  return runningStatus(pod, { podIP: hostIP, hostIP }, now);
}
