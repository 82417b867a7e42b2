import { silentLogger, startManager } from "pintle";
import { connect } from "pintle/client";
import { CustomResourceDefinition } from "pintle/kinds/apiextensions/v1";
import { Memcached, memcached } from "./memcached.ts";
import type { ScenarioServer } from "./scenario-server.ts";

/** Starts the Memcached operator on the server, over HTTPS. */
export async function startOperator(server: ScenarioServer): Promise<ScenarioServer> {
  const { kubeconfig } = server;
  const client = await connect({ kubeconfig });
  await client.apply(CustomResourceDefinition, Memcached.crd());
  await client.waitFor(CustomResourceDefinition, { name: `${Memcached.plural}.${Memcached.group}` }, isEstablished, { timeout: 20_000 });
  const operator = startManager({ controllers: [memcached], client, logger: silentLogger });
  await operator.ready;
  return {
    kubeconfig,
    async [Symbol.asyncDispose]() {
      await operator.stop();
      await client.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

function isEstablished({ status }: CustomResourceDefinition): boolean {
  return status.conditions?.some(({ type, status }) => type === "Established" && status === "True") ?? false;
}
