import type { NodeStatus } from "pintle/kinds/core/v1";
import { buildHealthyConditions, buildNodeAddresses } from "../node-registration.ts";

export interface SimulatedNodeOptions {
  readonly name: string;
  readonly address: string;
  readonly kubeletVersion: string;
  /** The duration of the node lease, which is renewed four times as often. Seconds. Default: 40. */
  readonly leaseSeconds?: number | undefined;
}

/** Builds the labels of a simulated node. */
export const buildNodeLabels = (name: string) => ({
  "kubernetes.io/arch": "amd64",
  "kubernetes.io/hostname": name,
  "kubernetes.io/os": "linux",
  "node.pintle.dev/simulated": "true",
});

/** Builds the status of a healthy node. The capacity is large: a simulated pod costs nothing. */
export function buildNodeStatus({ name, address, kubeletVersion }: SimulatedNodeOptions, now: string): NodeStatus {
  const capacity = { cpu: "64", memory: "256Gi", "ephemeral-storage": "1Ti", pods: "10000" };
  return {
    capacity,
    allocatable: capacity,
    addresses: buildNodeAddresses(name, address),
    conditions: buildHealthyConditions(now),
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
