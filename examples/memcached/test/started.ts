import { startCluster } from "@pintle/cluster";
import { type Manager, silent, start } from "pintle";
import { type Client, clientOver } from "pintle/client";
import { CustomResourceDefinition } from "pintle/kinds/apiextensions/v1";
import { vi } from "vitest";
import { Memcached, memcached } from "../src/memcached.ts";

const LOCAL = "127.0.0.1";

export interface Started {
  readonly client: Client;
  readonly operator: Manager;
  stop(): Promise<void>;
}

/** The operator on a cluster that asks it to convert between versions, as `pintle deploy` sets it up. */
export async function started(): Promise<Started> {
  const cluster = await startCluster();
  const client = clientOver(cluster.transport, { onWarning: () => {} });
  await client.apply(CustomResourceDefinition, Memcached.crd());
  const certificates = { issued: "memcached", namespace: "default" };
  const webhookServer = { address: `${LOCAL}:0`, hosts: [LOCAL], certificates };
  const operator = start({ controllers: [memcached], client, webhookServer, logger: silent });
  await operator.ready;
  const conversion = { url: `https://${LOCAL}:${operator.ports.webhooks}/convert` };
  await client.apply(CustomResourceDefinition, Memcached.crd({ conversion }));
  // From when on the server goes by it is up to the server.
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
