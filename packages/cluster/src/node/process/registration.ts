import { readFile } from "node:fs/promises";
import { arch, cpus, release, totalmem } from "node:os";
import { AlreadyExists, type Client } from "pintle/client";
import { microTime } from "pintle/kinds";
import { Lease } from "pintle/kinds/coordination/v1";
import { Node, type NodeStatus } from "pintle/kinds/core/v1";
import type { Clock, Timer } from "pintle/queue";
import { timestamp } from "../../api/index.ts";

const LEASES = "kube-node-lease";
const manager = { fieldManager: "kubelet" };
const ARCHITECTURES: Readonly<Record<string, string>> = { x64: "amd64", arm64: "arm64", arm: "arm", s390x: "s390x", ppc64: "ppc64le" };
const architecture = ARCHITECTURES[arch()] ?? arch();

export interface ProcessNodeFacts {
  readonly name: string;
  readonly address: string;
  readonly kubeletVersion: string;
  readonly leaseSeconds: number;
  /** Where its kubelet's port is served, if it is. */
  readonly kubeletPort?: number | undefined;
}

/** What this machine has, for all its nodes together; each says it has all of it. */
export const CAPACITY: Readonly<Record<string, string>> = {
  cpu: String(cpus().length),
  memory: `${Math.floor(totalmem() / 1024)}Ki`,
  "ephemeral-storage": "100Gi",
  pods: "110",
};

/** A node's own object and its signs of life. */
export function registration(client: Client, clock: Clock, facts: ProcessNodeFacts, isLost: () => boolean) {
  const { name, leaseSeconds } = facts;
  let beat: Timer | undefined;
  let stopped = false;
  const report = async () => {
    const status = await statusOf(facts, timestamp(clock.now()));
    await client.status.patch(Node, { name }, { strategic: { status } }, manager);
  };
  const renew = async () => {
    if (isLost()) return;
    const spec = { holderIdentity: name, leaseDurationSeconds: leaseSeconds, renewTime: microTime(new Date(clock.now())) };
    await client.apply(Lease, { metadata: { name, namespace: LEASES }, spec }, { ...manager, force: true });
  };
  const beatOn = () => {
    if (stopped) return;
    const again = () =>
      void renew()
        .catch(() => {})
        .then(beatOn);
    beat = clock.setTimeout(again, (leaseSeconds * 1000) / 4);
  };
  return {
    async register(): Promise<void> {
      const labels = { "kubernetes.io/arch": architecture, "kubernetes.io/hostname": name, "kubernetes.io/os": "linux" };
      try {
        await client.create(Node, { metadata: { name, labels }, spec: {} }, manager);
      } catch (error) {
        if (!(error instanceof AlreadyExists)) throw error;
      }
      await report();
      await renew();
      beatOn();
    },
    /** Says at once that it is there: after it was lost. */
    async hello(): Promise<void> {
      await report();
      await renew();
    },
    stop(): void {
      stopped = true;
      clock.clearTimeout(beat);
    },
  };
}

async function statusOf({ name, address, kubeletVersion, kubeletPort }: ProcessNodeFacts, now: string): Promise<NodeStatus> {
  const text = async (file: string) => (await readFile(file, "utf8").catch(() => "")).trim();
  const fine = (type: string, status: string, reason: string, message: string) =>
    ({ type, status, reason, message, lastHeartbeatTime: now, lastTransitionTime: now }) as const;
  const system = /^PRETTY_NAME="?([^"\n]*)/m.exec(await text("/etc/os-release"))?.[1] ?? "linux";
  return {
    capacity: CAPACITY,
    allocatable: CAPACITY,
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
    ...(kubeletPort === undefined ? {} : { daemonEndpoints: { kubeletEndpoint: { Port: kubeletPort } } }),
    nodeInfo: {
      architecture,
      bootID: await text("/proc/sys/kernel/random/boot_id"),
      containerRuntimeVersion: "process://1",
      kernelVersion: release(),
      kubeProxyVersion: "",
      kubeletVersion,
      machineID: await text("/etc/machine-id"),
      operatingSystem: "linux",
      osImage: system,
      systemUUID: "",
    },
  };
}
