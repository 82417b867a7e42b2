/** One of several processes of which one may act: writes an entry into the journal as fast as it can, while it leads. */
import { allow, controller, defineResource, logLines, run, z } from "pintle";
import { ConfigMap } from "pintle/kinds/core/v1";
import { systemClock } from "pintle/queue";

export const Journal = defineResource({ group: "runtime.example.com", version: "v1", kind: "Journal", spec: z.object({}) });

export const journal = (identity: string) =>
  controller(Journal, {
    needs: [allow(ConfigMap, "create")],
    async reconcile({ object, client, want }) {
      const { namespace, annotations } = object.metadata;
      block(Number(annotations?.[`block-${identity}`] ?? 0));
      if (annotations?.[`hang-${identity}`] !== undefined) await new Promise(() => {});
      await client.create(ConfigMap, {
        metadata: { generateName: "entry-", namespace, labels: { journal: "yes" } },
        data: { by: identity },
      });
      return want({ requeueAfter: 5 });
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

const [identity, kubeconfig] = process.argv.slice(2);
if (identity !== undefined && kubeconfig !== undefined) {
  await run({
    controllers: [journal(identity)],
    kubeconfig,
    leaderElection: { name: "journal", namespace: "default", identity, lease: "3s", renew: "2s", retry: "500ms", stall: "6s" },
    health: "0",
    metrics: "0",
    logger: logLines({ clock: systemClock, write: (line) => process.stdout.write(`${line}\n`) }),
  });
  process.exit(0);
}
