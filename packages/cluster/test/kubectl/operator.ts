import { silent, start } from "pintle";
import { connect } from "pintle/client";
import { CustomResourceDefinition } from "pintle/kinds/apiextensions/v1";
import { Memcached, memcached } from "./memcached.ts";
import type { Server } from "./server.ts";

/** The server with a Memcached operator at work, over HTTPS like kubectl. */
export async function operated(server: Server): Promise<Server> {
  const { kubeconfig } = server;
  const client = await connect({ kubeconfig });
  await client.apply(CustomResourceDefinition, Memcached.crd());
  await client.wait(CustomResourceDefinition, { name: `${Memcached.plural}.${Memcached.group}` }, isEstablished, { timeout: 20_000 });
  const operator = start({ controllers: [memcached], client, logger: silent });
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
