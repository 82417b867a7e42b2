import { Conflict, type DynamicKind, NotFound } from "pintle/client";
import type { WorkOutcome } from "pintle/internal/queue";
import { metadataOnly } from "pintle/kinds";
import { Namespace } from "pintle/kinds/core/v1";
import { formatTimestamp } from "../../api/index.ts";
import { type ControllerContext, type ControlPlaneComponent, createQueueComponent } from "../component.ts";
import { FIELD_MANAGER } from "../field-manager.ts";
import { selectPreferredKinds } from "../preferred-kinds.ts";
import { computeDeletionConditions, type RemainingContent } from "./deletion-conditions.ts";

const FINALIZER = "kubernetes";
/** How often remaining content, such as pods with a grace period, is checked. Milliseconds. */
const REQUEUE_DELAY = 200;

/** Starts the controller that deletes the content of terminating namespaces and then removes their finalizer. */
export function startNamespaceController({ client, cache, clock, createWorkQueue }: ControllerContext): ControlPlaneComponent {
  const view = cache.watch(Namespace);
  const work = createWorkQueue({ clock, concurrency: 4, work: ({ key }) => sync(key) });
  view.addEventHandler(({ new: current }) => {
    if (current?.metadata.deletionTimestamp !== undefined) work.add(current.metadata.name);
  });

  const sync = async (name: string): Promise<WorkOutcome | undefined> => {
    const namespace = view.get({ name });
    if (namespace?.metadata.deletionTimestamp === undefined || !namespace.spec.finalizers?.includes(FINALIZER)) return undefined;
    const remaining = await deleteContent(name);
    try {
      if (remaining.resources.size > 0) {
        await updateConditions(namespace, remaining);
        return { type: "requeue", after: REQUEUE_DELAY };
      }
      const finalizers = namespace.spec.finalizers.filter((f) => f !== FINALIZER);
      await client.subresource("finalize").replace(Namespace, { name }, { ...namespace, spec: { ...namespace.spec, finalizers } });
      return undefined;
    } catch (error) {
      if (error instanceof Conflict) return { type: "requeue", after: 5 };
      if (!(error instanceof NotFound)) throw error;
      return undefined;
    }
  };
  const updateConditions = async (namespace: Namespace, remaining: RemainingContent) => {
    const conditions = computeDeletionConditions(namespace, remaining, formatTimestamp(clock.now()));
    if (conditions === undefined) return;
    await client.status.replace(Namespace, { ...namespace, status: { ...namespace.status, conditions } }, FIELD_MANAGER);
  };
  /** Deletes the pods of the namespace and, once none is left, all other content. Returns what remains. */
  const deleteContent = async (namespace: string): Promise<RemainingContent> => {
    const resources = new Map<string, number>();
    const finalizers = new Map<string, number>();
    const kinds = selectPreferredKinds(await client.discoverKinds()).filter(isDeletable);
    for (const kind of [...kinds.filter(isPod), ...kinds.filter((each) => !isPod(each))]) {
      // Pods run until they are gone: what protects or configures them, such as a NetworkPolicy, must stay as long.
      if (!isPod(kind) && resources.has(PODS)) break;
      if ((await client.list(kind, { namespace, limit: 1 })).items.length === 0) continue;
      await client.deleteCollection(kind, { namespace, propagation: "Background" });
      const { items } = await client.list(metadataOnly(kind), { namespace });
      if (items.length > 0) resources.set(`${kind.plural}.${kind.group}`, items.length);
      for (const { metadata } of items) for (const name of metadata.finalizers ?? []) finalizers.set(name, (finalizers.get(name) ?? 0) + 1);
    }
    return { resources, finalizers };
  };
  return createQueueComponent("namespace-controller", work, [view]);
}

const PODS = "pods.";
const isPod = ({ group, plural }: DynamicKind) => group === "" && plural === "pods";
const isDeletable = (kind: DynamicKind) =>
  kind.scope === "Namespaced" && ["list", "deletecollection"].every((verb) => kind.verbs.includes(verb));
