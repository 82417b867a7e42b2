/** Deployments `web-0`, `web-1`, ... in the default namespace of a cluster, embedded or remote. */
import { setTimeout as delay } from "node:timers/promises";
import type { Client } from "pintle/client";
import { Deployment } from "pintle/kinds/apps/v1";
import { Event } from "pintle/kinds/core/v1";

export const REPLICAS = 3;
const CONCURRENCY = 16;
const namespace = "default";

export async function createDeployments(client: Client, deployments: number): Promise<void> {
  let next = 0;
  const worker = async () => {
    for (let i = next++; i < deployments; i = next++) {
      const labels = { app: `web-${i}` };
      const template = { metadata: { labels }, spec: { containers: [{ name: "web", image: "web:1" }] } };
      await client.create(Deployment, {
        metadata: { name: `web-${i}`, namespace },
        spec: { replicas: REPLICAS, selector: { matchLabels: labels }, template },
      });
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
}

/** Resolves when the rollout of every Deployment is complete. */
export async function waitForRollouts(client: Client, deployments: number): Promise<void> {
  const pending = new Set(Array.from({ length: deployments }, (_, i) => `web-${i}`));
  const isDone = ({ status }: Deployment) => status.conditions?.some(({ reason }) => reason === "NewReplicaSetAvailable") === true;
  for await (const { type, object } of client.watch(Deployment, { namespace })) {
    if (type !== "BOOKMARK" && isDone(object)) pending.delete(object.metadata.name);
    if (pending.size === 0) return;
  }
}

/** Resolves when no Event has been written for half a second. */
export async function waitForNoEvents(client: Client): Promise<void> {
  const version = async () => (await client.list(Event, { namespace, limit: 1 })).metadata.resourceVersion;
  for (let before = "", now = await version(); before !== now; now = await version()) {
    before = now;
    await delay(500);
  }
}
