import { AlreadyExists, type Client } from "pintle/client";
import type { Clock, Timer } from "pintle/internal/clock";
import { ignoreError, runInBackground } from "pintle/internal/errors";
import { formatMicroTime } from "pintle/kinds";
import { Lease } from "pintle/kinds/coordination/v1";
import { Node, type NodeStatus } from "pintle/kinds/core/v1";
import { formatTimestamp } from "../api/index.ts";

const LEASE_NAMESPACE = "kube-node-lease";
const FIELD_MANAGER = { fieldManager: "kubelet" };

export interface NodeRegistrationOptions {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** The duration of the node lease, which is renewed four times as often. */
  readonly leaseSeconds: number;
  buildStatus(now: string): NodeStatus | Promise<NodeStatus>;
  /** While true, the lease is not renewed. Default: never. */
  isDisconnected?(): boolean;
}

/** The Node object of a node, its status and its lease. */
export interface NodeRegistration {
  /** Creates the Node unless it exists, reports its status and acquires the lease. */
  register(): Promise<void>;
  /** Reports the status and renews the lease at once. */
  report(): Promise<void>;
  /** Renews the lease periodically, until `stop`. A failed renewal is retried with the next one. */
  startHeartbeat(): void;
  stop(): void;
}

export function createNodeRegistration(client: Client, clock: Clock, options: NodeRegistrationOptions): NodeRegistration {
  const { name, labels, leaseSeconds } = options;
  let timer: Timer | undefined;
  let isStopped = false;

  const report = async () => {
    const status = await options.buildStatus(formatTimestamp(clock.now()));
    await client.status.patch(Node, { name }, { strategic: { status } }, FIELD_MANAGER);
    await renewLease();
  };
  const renewLease = async () => {
    if (options.isDisconnected?.()) return;
    const spec = { holderIdentity: name, leaseDurationSeconds: leaseSeconds, renewTime: formatMicroTime(new Date(clock.now())) };
    await client.apply(Lease, { metadata: { name, namespace: LEASE_NAMESPACE }, spec }, { ...FIELD_MANAGER, force: true });
  };
  const startHeartbeat = () => {
    if (isStopped) return;
    const renew = () => runInBackground(renewLease().finally(startHeartbeat), ignoreError);
    timer = clock.setTimeout(renew, (leaseSeconds * 1000) / 4);
  };
  return {
    async register() {
      try {
        await client.create(Node, { metadata: { name, labels }, spec: {} }, FIELD_MANAGER);
      } catch (error) {
        if (!(error instanceof AlreadyExists)) throw error;
      }
      await report();
    },
    report,
    startHeartbeat,
    stop() {
      isStopped = true;
      clock.clearTimeout(timer);
    },
  };
}

/** Builds the conditions of a healthy node, with the texts of the kubelet. */
export function buildHealthyConditions(now: string): NonNullable<NodeStatus["conditions"]> {
  const condition = (type: string, status: "True" | "False", reason: string, message: string) => ({
    type,
    status,
    reason,
    message,
    lastHeartbeatTime: now,
    lastTransitionTime: now,
  });
  return [
    condition("MemoryPressure", "False", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
    condition("DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
    condition("PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
    condition("Ready", "True", "KubeletReady", "kubelet is posting ready status"),
  ];
}

/** Builds the addresses of a node. */
export function buildNodeAddresses(name: string, address: string): NonNullable<NodeStatus["addresses"]> {
  return [
    { type: "InternalIP", address },
    { type: "Hostname", address: name },
  ];
}
