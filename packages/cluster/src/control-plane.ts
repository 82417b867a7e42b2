import { cache, writesThrough } from "pintle/cache";
import { clientOver, type Transport } from "pintle/client";
import type { Clock, Random } from "pintle/queue";
import { backgroundClock, type VersionInfo } from "./api/index.ts";
import { controllers, eventRecorder, type Part, type PartName, type Plant } from "./controllers/index.ts";
import { addresses, simulatedNode } from "./node/index.ts";

export interface ControlPlaneOptions {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly random: Random;
  readonly version: VersionInfo;
  /** PEM; whom clients of this cluster should trust. */
  readonly authority: string;
  /** For how long a sign of life of a simulated node counts. */
  readonly leaseSeconds: number;
  /** How many simulated nodes. */
  readonly nodes: number;
  readonly without: readonly PartName[];
}

/** The parts that make an API server a cluster, on one cache: controllers, scheduler, nodes. */
export function controlPlane({ transport, clock, random, version, authority, leaseSeconds, nodes, without }: ControlPlaneOptions) {
  const client = clientOver(transport, { fieldManager: "kube-controller-manager", onWarning: () => {} });
  // Streams live in real time, whatever the cluster's clock says.
  const known = cache({ client, clock: backgroundClock, random });
  const events = eventRecorder({ client, clock });
  const plant: Plant = { client: writesThrough(client, known), cache: known, clock, random, events, authority };
  const network = addresses("10.244");
  const parts: readonly Part[] = [
    ...controllers(plant, without),
    ...Array.from({ length: nodes }, (_, i) =>
      simulatedNode(
        plant,
        { name: `node-${i + 1}`, address: `192.0.2.${i + 1}`, kubeletVersion: version.gitVersion, leaseSeconds },
        network,
      ),
    ),
  ];
  const ready = Promise.all(parts.map((part) => part.ready)).then(() => {});
  // Whoever waits for it hears of a failure; nobody has to wait.
  ready.catch(() => {});
  return {
    ready,
    async stop(): Promise<void> {
      await Promise.all(parts.map((part) => part.stop()));
      await events.flush();
      await known.stop();
    },
  };
}
