import { type Manager, silent, start } from "pintle";
import type { Client } from "pintle/client";
import { CustomResourceDefinition } from "pintle/kinds/apiextensions/v1";
import { Pod } from "pintle/kinds/core/v1";
import { LABEL } from "../../examples/memcached/src/deployment.ts";
import { Memcached, memcached } from "../../examples/memcached/src/memcached.ts";
import { freePorts } from "../real/ports.ts";
import type { Server } from "./server.ts";

const LOCAL = "127.0.0.1";
export const namespace = "default";
/** kube-controller-manager takes half a minute to hear of a definition's new version, and another one to be rid of the old. */
export const within = { timeout: 150_000 };

/** Starts the operator, as often as one likes at the same port, which the cluster is told about: there it is asked to convert. */
export async function operating(client: Client): Promise<() => Promise<Manager>> {
  const [port] = await freePorts(1);
  await client.apply(CustomResourceDefinition, Memcached.crd({ conversion: { url: `https://${LOCAL}:${port}/convert` } }), { force: true });
  const webhookServer = { address: `${LOCAL}:${port}`, hosts: [LOCAL], certificates: { issued: "memcached", namespace } };
  return async () => {
    const operator = start({ controllers: [memcached], client, webhookServer, logger: silent });
    await operator.ready;
    return operator;
  };
}

export const condition = ({ status }: Memcached, type: string) => status?.conditions?.find((each) => each.type === type);

/** Every condition that an object had from now on: "Available True". */
export function conditionsSeen(client: Client, name: string): AsyncDisposable & { readonly all: ReadonlySet<string> } {
  const all = new Set<string>();
  const ending = new AbortController();
  const watching = (async () => {
    for await (const { type, object } of client.watch(Memcached, { namespace, signal: ending.signal }))
      if (type !== "BOOKMARK" && object.metadata.name === name)
        for (const { type, status } of object.status?.conditions ?? []) all.add(`${type} ${status}`);
  })().catch((error: unknown) => {
    if (!ending.signal.aborted) throw error;
  });
  return {
    all,
    async [Symbol.asyncDispose]() {
      ending.abort();
      await watching;
    },
  };
}

/** As the spec says, in every respect. */
export const isDone = (object: Memcached) =>
  object.status?.nodes?.length === object.spec.size &&
  object.status.observedGeneration === object.metadata.generation &&
  condition(object, "Available")?.status === "True" &&
  condition(object, "Progressing")?.status === "False";

/** Its pods that are not on their way out, by name. */
export async function podsOf(client: Client, name: string): Promise<readonly Pod[]> {
  const { items } = await client.list(Pod, { namespace, labels: { [LABEL]: name } });
  return items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
}

/** Where they answer. */
export async function serversOf(client: Client, name: string, port: number): Promise<readonly Server[]> {
  return (await podsOf(client, name)).flatMap(({ status: { podIP } }) => (podIP === undefined ? [] : [{ host: podIP, port }]));
}
