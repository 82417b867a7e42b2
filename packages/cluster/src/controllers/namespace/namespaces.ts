import type { DynamicKind } from "pintle/client";
import { AlreadyExists, Forbidden, NotFound } from "pintle/client";
import { Namespace, ServiceAccount } from "pintle/kinds/core/v1";
import { type Outcome, queue } from "pintle/queue";
import type { Part, Plant } from "../part.ts";

const FINALIZER = "kubernetes";
/** Content that ends in its own time (pods with a grace period) is looked at again this often. */
const AGAIN = 200;

/** Gives every namespace its `default` ServiceAccount, and empties and releases the namespaces that are being deleted. */
export function namespaces({ client, cache, clock }: Plant): Part {
  const view = cache.watch(Namespace);
  const accounts = cache.watch(ServiceAccount);
  const work = queue({ clock, concurrency: 4, work: ({ key }) => attend(key) });
  view.on(({ new: seen }) => seen && work.add(seen.metadata.name));
  accounts.on(({ event, old }) => event === "deleted" && old && work.add(old.metadata.namespace));

  const attend = async (name: string): Promise<Outcome | undefined> => {
    const namespace = view.get({ name });
    if (namespace === undefined) return undefined;
    if (namespace.metadata.deletionTimestamp === undefined) return await account(name);
    if (!namespace.spec.finalizers?.includes(FINALIZER)) return undefined;
    if ((await empty(name)) > 0) return { type: "again", after: AGAIN };
    const finalizers = namespace.spec.finalizers.filter((f) => f !== FINALIZER);
    await client.subresource("finalize").replace(Namespace, { name }, { ...namespace, spec: { ...namespace.spec, finalizers } });
    return undefined;
  };
  const account = async (namespace: string): Promise<undefined> => {
    if (accounts.get({ name: "default", namespace }) !== undefined) return;
    try {
      await client.create(ServiceAccount, { metadata: { name: "default", namespace } });
    } catch (error) {
      // Somebody was quicker, or the namespace began to go: its own event brings us back.
      if (!(error instanceof AlreadyExists) && !(error instanceof NotFound) && !(error instanceof Forbidden)) throw error;
    }
  };
  /** Deletes everything in the namespace; how much is still there. */
  const empty = async (namespace: string): Promise<number> => {
    let left = 0;
    for (const kind of (await client.kinds()).filter(deletable)) {
      if ((await client.list(kind, { namespace, limit: 1 })).items.length === 0) continue;
      await client.deleteCollection(kind, { namespace, propagation: "Background" });
      left += (await client.list(kind, { namespace, limit: 1 })).items.length;
    }
    return left;
  };

  const ready = Promise.all([view.synced(), accounts.synced()]).then(() => work.start());
  return {
    name: "namespace-controller",
    ready,
    async stop() {
      await work.stop();
      await Promise.all([view.close(), accounts.close()]);
    },
  };
}

const deletable = (kind: DynamicKind) =>
  kind.scope === "Namespaced" && ["list", "deletecollection"].every((verb) => kind.verbs.includes(verb));
