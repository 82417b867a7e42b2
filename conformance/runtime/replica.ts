/** One of several processes of which only the leader may act: writes entries into the journal of its namespace while it leads. */
import { allow, controller, createLogger, defineResource, type LeaderElectionOptions, run, z } from "pintle";
import { systemClock } from "pintle/internal/clock";
import { ConfigMap } from "pintle/kinds/core/v1";

export const Journal = defineResource({ group: "runtime.example.com", version: "v1", kind: "Journal", spec: z.object({}) });

/** The options of a replica, passed on its command line as JSON. */
export interface ReplicaOptions {
  readonly identity: string;
  readonly namespace: string;
  readonly kubeconfig: string;
  readonly timings?: Pick<LeaderElectionOptions, "leaseDuration" | "renewDeadline" | "retryPeriod" | "stallTimeout">;
}

const PAUSE = 20;

export const journal = (identity: string) =>
  controller(Journal, {
    needs: [allow(ConfigMap, "create")],
    async reconcile({ object, client, want }) {
      const { namespace, annotations } = object.metadata;
      const readCommand = (what: string) => Number(annotations?.[`${what}-${identity}`] ?? 0);
      block(readCommand("block"));
      // A floating promise that rejects.
      if (readCommand("stray") > 0) void Promise.reject(new Error("forgotten"));
      if (readCommand("hang") > 0) await new Promise(() => {});
      // Computes, or waits, before it writes.
      await systemClock.sleep(readCommand("slow"));
      await client.create(ConfigMap, {
        metadata: { generateName: "entry-", namespace, labels: { journal: "yes" } },
        data: { by: identity, slow: String(readCommand("slow")) },
      });
      return want({ requeueAfter: PAUSE });
    },
  });

const blocked = new Set<number>();
/** Blocks this thread for so long, once. */
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
    logger: createLogger({ clock: systemClock, write: (line) => process.stdout.write(`${line}\n`) }),
  });
  process.exit(0);
}
