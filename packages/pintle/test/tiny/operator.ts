import { afterEach } from "vitest";
import * as z from "zod";
import { clientOver } from "../../src/client/index.ts";
import { type Controller, controller } from "../../src/controller/index.ts";
import { Deployment } from "../../src/kinds/generated/apps/v1.ts";
import { Pod } from "../../src/kinds/generated/core/v1.ts";
import { logLines, type Manager, type StartOptions, start } from "../../src/manager/index.ts";
import { seeded, type VirtualClock, virtualClock } from "../../src/queue/index.ts";
import { defineResource } from "../../src/resource/index.ts";
import { type TinyServer, tinyServer } from "./server.ts";

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

/** What the operator below wants for a Memcached. */
export const deploymentFor = (name: string, size: number) =>
  Deployment.desired({
    metadata: { name },
    spec: {
      replicas: size,
      selector: { matchLabels: { name } },
      template: { metadata: { labels: { name } }, spec: { containers: [{ name: "m", image: "memcached" }] } },
    },
  });

/** The Memcached operator: a Deployment, the names of its pods, and whether they are ready. */
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

export interface Setup {
  readonly clock: VirtualClock;
  readonly server: TinyServer;
  readonly manager: Manager;
  /** What was logged, parsed. */
  readonly lines: any[];
  /** "PATCH /api/..." */
  readonly writes: () => readonly string[];
  /** Another manager of the same controllers, as after a restart. */
  readonly begin: () => Manager;
}

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()));
});

/** Controllers at work on a tiny server, in virtual time; stopped when the test ends. */
export async function setup(
  controllers: readonly Controller[],
  options: Partial<StartOptions> & {
    readonly serves?: Set<string>;
    readonly before?: (server: TinyServer) => void;
    readonly clock?: VirtualClock;
  } = {},
): Promise<Setup> {
  const clock = options.clock ?? virtualClock();
  const server = tinyServer({ clock, ...(options.serves ? { serves: options.serves } : {}) });
  options.before?.(server);
  const lines: any[] = [];
  const begin = () => {
    const client = clientOver(server.transport, { timing: clock, random: seeded(1), onWarning: () => {} });
    const logger = logLines({ clock, write: (line) => lines.push(JSON.parse(line)), level: "debug" });
    const manager = start({ controllers, client, clock, random: seeded(2), logger, ...options });
    stops.push(() => {
      const stopping = manager.stop();
      return clock.advance(60_000).then(() => stopping);
    });
    return manager;
  };
  const manager = begin();
  await clock.settle();
  await manager.ready;
  await clock.settle();
  const writes = () => server.requests.filter((line) => !line.startsWith("GET"));
  return { clock, server, manager, lines, writes, begin };
}
