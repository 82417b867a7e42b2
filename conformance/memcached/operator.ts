import { type Manager, silentLogger, startManager } from "pintle";
import type { Client } from "pintle/client";
import { CustomResourceDefinition } from "pintle/kinds/apiextensions/v1";
import { Pod } from "pintle/kinds/core/v1";
import { LABEL } from "../../examples/memcached/src/deployment.ts";
import { Memcached, memcached } from "../../examples/memcached/src/memcached.ts";
import { freePorts } from "../real/programs/ports.ts";
import type { MemcachedServer } from "./server.ts";

const LOCAL = "127.0.0.1";
export const namespace = "default";
/** kube-controller-manager takes half a minute to discover a new version of a CRD, and another one to drop the old version. */
export const WAIT_OPTIONS = { timeout: 150_000 };

/** Returns a function that starts the operator, always at the same port, which the CRD's conversion webhook points at. */
export async function prepareOperator(client: Client): Promise<() => Promise<Manager>> {
  const [port] = await freePorts(1);
  await client.apply(CustomResourceDefinition, Memcached.crd({ conversion: { url: `https://${LOCAL}:${port}/convert` } }), { force: true });
  const webhookServer = { address: `${LOCAL}:${port}`, hosts: [LOCAL], certificates: { issued: "memcached", namespace } };
  return async () => {
    const operator = startManager({ controllers: [memcached], client, webhookServer, logger: silentLogger });
    await operator.ready;
    return operator;
  };
}

export const findCondition = ({ status }: Memcached, type: string) => status?.conditions?.find((each) => each.type === type);

/** Records every condition that an object has from now on: "Available True". */
export function recordConditions(client: Client, name: string): AsyncDisposable & { readonly all: ReadonlySet<string> } {
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

/** Returns true if status matches the spec and the rollout is complete. */
export const isDone = (object: Memcached) =>
  object.status?.nodes?.length === object.spec.size &&
  object.status.observedGeneration === object.metadata.generation &&
  findCondition(object, "Available")?.status === "True" &&
  findCondition(object, "Progressing")?.status === "False";

/** Returns its pods that are not terminating, by name. */
export async function listPods(client: Client, name: string): Promise<readonly Pod[]> {
  const { items } = await client.list(Pod, { namespace, labels: { [LABEL]: name } });
  return items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
}

/** Returns the addresses of its servers. */
export async function listServers(client: Client, name: string, port: number): Promise<readonly MemcachedServer[]> {
  return (await listPods(client, name)).flatMap(({ status: { podIP } }) => (podIP === undefined ? [] : [{ host: podIP, port }]));
}
