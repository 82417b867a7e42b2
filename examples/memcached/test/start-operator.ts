import { startCluster } from "@pintle/cluster";
import { type Manager, silentLogger, startManager } from "pintle";
import { type Client, createClient } from "pintle/client";
import { CustomResourceDefinition } from "pintle/kinds/apiextensions/v1";
import { vi } from "vitest";
import { Memcached, memcached } from "../src/memcached.ts";

const LOOPBACK = "127.0.0.1";

export interface StartedOperator {
  readonly client: Client;
  readonly operator: Manager;
  stop(): Promise<void>;
}

/** Starts the operator on an embedded cluster that uses its conversion webhook, as `pintle deploy` configures it. */
export async function startOperator(): Promise<StartedOperator> {
  const cluster = await startCluster();
  const client = createClient(cluster.transport, { onWarning: () => {} });
  await client.apply(CustomResourceDefinition, Memcached.crd());
  const certificates = { issued: "memcached", namespace: "default" };
  const webhookServer = { address: `${LOOPBACK}:0`, hosts: [LOOPBACK], certificates };
  const operator = startManager({ controllers: [memcached], client, webhookServer, logger: silentLogger });
  await operator.ready;
  const conversion = { url: `https://${LOOPBACK}:${operator.ports.webhooks}/convert` };
  await client.apply(CustomResourceDefinition, Memcached.crd({ conversion }));
  // The API server applies the new conversion endpoint with a delay.
  await vi.waitFor(() => client.list(Memcached.at.v1alpha1), { timeout: 60_000 });
  return {
    client,
    operator,
    async stop() {
      await operator.stop();
      await client.close();
      await cluster.stop();
    },
  };
}
