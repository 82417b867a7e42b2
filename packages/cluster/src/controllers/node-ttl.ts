import { NotFound } from "pintle/client";
import { Node } from "pintle/kinds/core/v1";
import { type ControllerContext, type ControlPlaneComponent, createQueueComponent } from "./component.ts";
import { FIELD_MANAGER } from "./field-manager.ts";

const TTL_ANNOTATION = "node.alpha.kubernetes.io/ttl";
/** How long kubelets may cache Secrets and ConfigMaps, by the number of nodes. Seconds. */
const TTL_BOUNDARIES: readonly (readonly [nodes: number, ttl: number])[] = [
  [100, 0],
  [500, 15],
  [1000, 30],
  [2000, 60],
  [Number.POSITIVE_INFINITY, 300],
];

/** Starts the controller that annotates nodes with the time for which a kubelet may cache objects. */
export function startNodeTtlController({ client, cache, clock, createWorkQueue }: ControllerContext): ControlPlaneComponent {
  const nodes = cache.watch(Node);
  const work = createWorkQueue({ clock, concurrency: 4, work: ({ key }) => sync(key) });
  nodes.addEventHandler(({ new: current }) => {
    if (current !== undefined && current.metadata.annotations?.[TTL_ANNOTATION] === undefined) work.add(current.metadata.name);
  });
  const sync = async (name: string): Promise<undefined> => {
    const node = nodes.get({ name });
    const ttl = String(TTL_BOUNDARIES.find(([most]) => nodes.list().length <= most)![1]);
    if (node === undefined || node.metadata.annotations?.[TTL_ANNOTATION] === ttl) return;
    try {
      await client.patch(Node, { name }, { strategic: { metadata: { annotations: { [TTL_ANNOTATION]: ttl } } } }, FIELD_MANAGER);
    } catch (error) {
      if (!(error instanceof NotFound)) throw error;
    }
  };
  return createQueueComponent("ttl-controller", work, [nodes]);
}
