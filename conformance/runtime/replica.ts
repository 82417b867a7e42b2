/** One of several processes of which one may act: writes entries into the journal of its namespace for as long as it leads. */
import { allow, controller, defineResource, type LeaderElection, logLines, run, z } from "pintle";
import { ConfigMap } from "pintle/kinds/core/v1";
import { systemClock } from "pintle/queue";

export const Journal = defineResource({ group: "runtime.example.com", version: "v1", kind: "Journal", spec: z.object({}) });

/** What a replica is told on its command line, as JSON. */
export interface ReplicaOptions {
  readonly identity: string;
  readonly namespace: string;
  readonly kubeconfig: string;
  readonly timings?: Pick<LeaderElection, "lease" | "renew" | "retry" | "stall">;
}

const PAUSE = 20;

export const journal = (identity: string) =>
  controller(Journal, {
    needs: [allow(ConfigMap, "create")],
    async reconcile({ object, client, want }) {
      const { namespace, annotations } = object.metadata;
      const told = (what: string) => Number(annotations?.[`${what}-${identity}`] ?? 0);
      block(told("block"));
      // Nobody waits for it, and it fails.
      if (told("stray") > 0) void Promise.reject(new Error("forgotten"));
      if (told("hang") > 0) await new Promise(() => {});
      // It computes, or waits for somebody, before it writes.
      await systemClock.sleep(told("slow"));
      await client.create(ConfigMap, {
        metadata: { generateName: "entry-", namespace, labels: { journal: "yes" } },
        data: { by: identity, slow: String(told("slow")) },
      });
      return want({ requeueAfter: PAUSE });
    },
  });

const blocked = new Set<number>();
/** Computes for so long, once: nothing else runs in this thread meanwhile. */
function block(milliseconds: number): void {
  if (blocked.has(milliseconds)) return;
  blocked.add(milliseconds);
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}

const [given] = process.argv.slice(2);
if (given?.startsWith("{")) {
  const { identity, namespace, kubeconfig, timings } = JSON.parse(given) as ReplicaOptions;
  await run({
    controllers: [journal(identity)],
    kubeconfig,
    namespaces: [namespace],
    leaderElection: { name: "journal", namespace, identity, ...timings },
    health: "0",
    metrics: "0",
    logger: logLines({ clock: systemClock, write: (line) => process.stdout.write(`${line}\n`) }),
  });
  process.exit(0);
}
