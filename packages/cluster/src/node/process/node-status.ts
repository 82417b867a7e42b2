import { readFile } from "node:fs/promises";
import { arch, cpus, release, totalmem } from "node:os";
import type { NodeStatus } from "pintle/kinds/core/v1";
import { buildHealthyConditions, buildNodeAddresses } from "../node-registration.ts";

const ARCHITECTURES: Readonly<Record<string, string>> = { x64: "amd64", arm64: "arm64", arm: "arm", s390x: "s390x", ppc64: "ppc64le" };
const architecture = ARCHITECTURES[arch()] ?? arch();

export interface ProcessNodeOptions {
  readonly name: string;
  readonly address: string;
  readonly kubeletVersion: string;
  readonly leaseSeconds: number;
  /** The kubelet port, if it is served. */
  readonly kubeletPort?: number | undefined;
}

/** The capacity of this machine, which each of its nodes reports in full. */
export const CAPACITY: Readonly<Record<string, string>> = {
  cpu: String(cpus().length),
  memory: `${Math.floor(totalmem() / 1024)}Ki`,
  "ephemeral-storage": "100Gi",
  pods: "110",
};

/** Builds the labels of a process node. */
export const buildNodeLabels = (name: string) => ({
  "kubernetes.io/arch": architecture,
  "kubernetes.io/hostname": name,
  "kubernetes.io/os": "linux",
});

/** Builds the status of a healthy process node. */
export async function buildNodeStatus(
  { name, address, kubeletVersion, kubeletPort }: ProcessNodeOptions,
  now: string,
): Promise<NodeStatus> {
  const readText = async (file: string) => (await readFile(file, "utf8").catch(() => "")).trim();
  const osImage = /^PRETTY_NAME="?([^"\n]*)/m.exec(await readText("/etc/os-release"))?.[1] ?? "linux";
  return {
    capacity: CAPACITY,
    allocatable: CAPACITY,
    addresses: buildNodeAddresses(name, address),
    conditions: buildHealthyConditions(now),
    ...(kubeletPort === undefined ? {} : { daemonEndpoints: { kubeletEndpoint: { Port: kubeletPort } } }),
    nodeInfo: {
      architecture,
      bootID: await readText("/proc/sys/kernel/random/boot_id"),
      containerRuntimeVersion: "process://1",
      kernelVersion: release(),
      kubeProxyVersion: "",
      kubeletVersion,
      machineID: await readText("/etc/machine-id"),
      operatingSystem: "linux",
      osImage,
      systemUUID: "",
    },
  };
}
