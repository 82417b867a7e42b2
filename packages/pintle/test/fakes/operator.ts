import { afterEach } from "vitest";
import * as z from "zod";
import { createClient } from "../../src/client/index.ts";
import { seededRandom, type VirtualClock, virtualClock } from "../../src/clock/index.ts";
import { type Controller, controller } from "../../src/controller/index.ts";
import { Deployment } from "../../src/kinds/generated/apps/v1.ts";
import { Pod } from "../../src/kinds/generated/core/v1.ts";
import { createLogger, type Manager, type ManagerOptions, startManager } from "../../src/manager/index.ts";
import { defineResource } from "../../src/resource/index.ts";
import { createFakeApiServer, type FakeApiServer } from "./api-server.ts";

export const Memcached = defineResource({
  group: "cache.example.com",
  version: "v1alpha1",
  kind: "Memcached",
  spec: z.object({ size: z.int().min(1).max(9).default(1), secretName: z.string().optional() }),
  status: z.object({ nodes: z.array(z.string()) }),
  conditions: ["Available"],
});
export const memcached = (name: string, spec: object = { size: 3 }, more: object = {}) => ({
  apiVersion: "cache.example.com/v1alpha1",
  kind: "Memcached",
  metadata: { name, namespace: "d", ...more },
  spec,
});

/** The desired Deployment of a Memcached. */
export const deploymentFor = (name: string, size: number) =>
  Deployment.desired({
    metadata: { name },
    spec: {
      replicas: size,
      selector: { matchLabels: { name } },
      template: { metadata: { labels: { name } }, spec: { containers: [{ name: "m", image: "memcached" }] } },
    },
  });

/** The Memcached controller: a Deployment, the names of its pods in the status, and a condition. */
export const operator = controller(Memcached, {
  owns: [Deployment],
  watches: { pods: { kind: Pod, by: { label: "cache.example.com/memcached" } } },
  reconcile({ object, owned, related, want }) {
    const { name } = object.metadata;
    const ready = owned(Deployment).get(name)?.status?.readyReplicas ?? 0;
    return want({
      children: { deployment: deploymentFor(name, object.spec.size) },
      status: { nodes: related.pods.map((pod) => pod.metadata.name).sort() },
      conditions: { Available: { status: ready === object.spec.size, reason: "Replicas" } },
    });
  },
});

export interface ManagerSetup {
  readonly clock: VirtualClock;
  readonly server: FakeApiServer;
  readonly manager: Manager;
  /** The parsed log lines. */
  readonly lines: any[];
  /** Returns all requests that write, as "PATCH /api/...". */
  readonly writes: () => readonly string[];
  /** Starts another manager of the same controllers, as after a restart. */
  readonly restart: () => Manager;
}

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()));
});

/** Starts a manager on a fake API server with virtual time; stopped when the test ends. */
export async function setupManager(
  controllers: readonly Controller[],
  options: Partial<ManagerOptions> & {
    readonly serves?: Set<string>;
    readonly before?: (server: FakeApiServer) => void;
    readonly clock?: VirtualClock;
  } = {},
): Promise<ManagerSetup> {
  const clock = options.clock ?? virtualClock();
  const server = createFakeApiServer({ clock, ...(options.serves ? { serves: options.serves } : {}) });
  options.before?.(server);
  const lines: any[] = [];
  const restart = () => {
    const client = createClient(server.transport, { clock: clock, random: seededRandom(1), onWarning: () => {} });
    const logger = createLogger({ clock, write: (line) => lines.push(JSON.parse(line)), level: "debug" });
    const manager = startManager({ controllers, client, clock, random: seededRandom(2), logger, ...options });
    stops.push(() => {
      const stopping = manager.stop();
      return clock.advance(60_000).then(() => stopping);
    });
    return manager;
  };
  const manager = restart();
  await clock.settle();
  await manager.ready;
  await clock.settle();
  const writes = () => server.requests.filter((line) => !line.startsWith("GET"));
  return { clock, server, manager, lines, writes, restart };
}
