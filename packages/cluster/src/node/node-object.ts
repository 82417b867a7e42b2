import type { NodeDesired, NodeStatus } from "pintle/kinds/core/v1";

export interface NodeFacts {
  readonly name: string;
  readonly address: string;
  readonly kubeletVersion: string;
  /** For how long a sign of life counts; it is given four times as often. Default: 40. */
  readonly leaseSeconds?: number | undefined;
}

/** What a node registers itself as. */
export function nodeObject({ name }: NodeFacts): NodeDesired {
  return {
    metadata: {
      name,
      labels: {
        "kubernetes.io/arch": "amd64",
        "kubernetes.io/hostname": name,
        "kubernetes.io/os": "linux",
        "node.pintle.dev/simulated": "true",
      },
    },
    spec: {},
  };
}

/** A healthy node's status. Sizes are generous: a simulated pod costs nothing. */
export function nodeStatus({ name, address, kubeletVersion }: NodeFacts, now: string): NodeStatus {
  const size = { cpu: "64", memory: "256Gi", "ephemeral-storage": "1Ti", pods: "10000" };
  const fine = (type: string, status: string, reason: string, message: string) =>
    ({ type, status, reason, message, lastHeartbeatTime: now, lastTransitionTime: now }) as const;
  return {
    capacity: size,
    allocatable: size,
    addresses: [
      { type: "InternalIP", address },
      { type: "Hostname", address: name },
    ],
    conditions: [
      fine("MemoryPressure", "False", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
      fine("DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
      fine("PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
      fine("Ready", "True", "KubeletReady", "kubelet is posting ready status"),
    ],
    nodeInfo: {
      architecture: "amd64",
      bootID: "",
      containerRuntimeVersion: "simulated://1",
      kernelVersion: "",
      kubeProxyVersion: "",
      kubeletVersion,
      machineID: "",
      operatingSystem: "linux",
      osImage: "simulated",
      systemUUID: "",
    },
  };
}
