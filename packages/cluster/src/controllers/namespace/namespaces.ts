import { Conflict, type DynamicKind, NotFound } from "pintle/client";
import { meta } from "pintle/kinds";
import { Namespace } from "pintle/kinds/core/v1";
import { type Outcome, queue } from "pintle/queue";
import { timestamp } from "../../api/index.ts";
import { MANAGED } from "../managed.ts";
import { type Part, type Plant, queued } from "../part.ts";
import { deletionConditions, type Remaining } from "./conditions.ts";

const FINALIZER = "kubernetes";
/** Content that ends in its own time (pods with a grace period) is looked at again this often. */
const AGAIN = 200;

/** Empties and releases the namespaces that are being deleted. */
export function namespaces({ client, cache, clock }: Plant): Part {
  const view = cache.watch(Namespace);
  const work = queue({ clock, concurrency: 4, work: ({ key }) => attend(key) });
  view.on(({ new: seen }) => {
    if (seen?.metadata.deletionTimestamp !== undefined) work.add(seen.metadata.name);
  });

  const attend = async (name: string): Promise<Outcome | undefined> => {
    const namespace = view.get({ name });
    if (namespace?.metadata.deletionTimestamp === undefined || !namespace.spec.finalizers?.includes(FINALIZER)) return undefined;
    const remaining = await empty(name);
    try {
      if (remaining.resources.size > 0) {
        await say(namespace, remaining);
        return { type: "again", after: AGAIN };
      }
      const finalizers = namespace.spec.finalizers.filter((f) => f !== FINALIZER);
      await client.subresource("finalize").replace(Namespace, { name }, { ...namespace, spec: { ...namespace.spec, finalizers } });
      return undefined;
    } catch (error) {
      if (error instanceof Conflict) return { type: "again", after: 5 };
      if (!(error instanceof NotFound)) throw error;
      return undefined;
    }
  };
  const say = async (namespace: Namespace, remaining: Remaining) => {
    const conditions = deletionConditions(namespace, remaining, timestamp(clock.now()));
    if (conditions === undefined) return;
    await client.status.replace(Namespace, { ...namespace, status: { ...namespace.status, conditions } }, MANAGED);
  };
  /** Deletes everything in the namespace; what is still there. */
  const empty = async (namespace: string): Promise<Remaining> => {
    const resources = new Map<string, number>();
    const finalizers = new Map<string, number>();
    for (const kind of (await client.kinds()).filter(deletable)) {
      if ((await client.list(kind, { namespace, limit: 1 })).items.length === 0) continue;
      await client.deleteCollection(kind, { namespace, propagation: "Background" });
      const { items } = await client.list(meta(kind), { namespace });
      if (items.length > 0) resources.set(`${kind.plural}.${kind.group}`, items.length);
      for (const { metadata } of items) for (const name of metadata.finalizers ?? []) finalizers.set(name, (finalizers.get(name) ?? 0) + 1);
    }
    return { resources, finalizers };
  };
  return queued("namespace-controller", work, [view]);
}

const deletable = (kind: DynamicKind) =>
  kind.scope === "Namespaced" && ["list", "deletecollection"].every((verb) => kind.verbs.includes(verb));
