/** A crowd of Deployments, on a cluster wherever it is. */
import { setTimeout as wait } from "node:timers/promises";
import type { Client } from "pintle/client";
import { Deployment } from "pintle/kinds/apps/v1";
import { Event } from "pintle/kinds/core/v1";

export const REPLICAS = 3;
const AT_ONCE = 16;
const namespace = "default";

export async function create(client: Client, deployments: number): Promise<void> {
  let next = 0;
  const work = async () => {
    for (let i = next++; i < deployments; i = next++) {
      const labels = { app: `web-${i}` };
      const template = { metadata: { labels }, spec: { containers: [{ name: "web", image: "web:1" }] } };
      await client.create(Deployment, {
        metadata: { name: `web-${i}`, namespace },
        spec: { replicas: REPLICAS, selector: { matchLabels: labels }, template },
      });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

/** Every rollout is done, and says so. */
export async function settled(client: Client, deployments: number): Promise<void> {
  const open = new Set(Array.from({ length: deployments }, (_, i) => `web-${i}`));
  const isDone = ({ status }: Deployment) => status.conditions?.some(({ reason }) => reason === "NewReplicaSetAvailable") === true;
  for await (const { type, object } of client.watch(Deployment, { namespace })) {
    if (type !== "BOOKMARK" && isDone(object)) open.delete(object.metadata.name);
    if (open.size === 0) return;
  }
}

/** No more events are written. */
export async function quiet(client: Client): Promise<void> {
  const version = async () => (await client.list(Event, { namespace, limit: 1 })).metadata.resourceVersion;
  for (let before = "", now = await version(); before !== now; now = await version()) {
    before = now;
    await wait(500);
  }
}
