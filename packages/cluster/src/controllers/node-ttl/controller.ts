import { NotFound } from "pintle/client";
import { Node } from "pintle/kinds/core/v1";
import { queue } from "pintle/queue";
import { MANAGED } from "../managed.ts";
import { type Part, type Plant, queued } from "../part.ts";

const TTL = "node.alpha.kubernetes.io/ttl";
/** How long kubelets may go by what they know of secrets and config maps, by the size of the cluster. Seconds. */
const STEPS: readonly (readonly [nodes: number, ttl: number])[] = [
  [100, 0],
  [500, 15],
  [1000, 30],
  [2000, 60],
  [Number.POSITIVE_INFINITY, 300],
];

/** Tells nodes how long they may rely on what they have read. */
export function nodeTtl({ client, cache, clock }: Plant): Part {
  const nodes = cache.watch(Node);
  const work = queue({ clock, concurrency: 4, work: ({ key }) => attend(key) });
  nodes.on(({ new: seen }) => {
    if (seen !== undefined && seen.metadata.annotations?.[TTL] === undefined) work.add(seen.metadata.name);
  });
  const attend = async (name: string): Promise<undefined> => {
    const node = nodes.get({ name });
    const ttl = String(STEPS.find(([most]) => nodes.list().length <= most)![1]);
    if (node === undefined || node.metadata.annotations?.[TTL] === ttl) return;
    try {
      await client.patch(Node, { name }, { strategic: { metadata: { annotations: { [TTL]: ttl } } } }, MANAGED);
    } catch (error) {
      if (!(error instanceof NotFound)) throw error;
    }
  };
  return queued("ttl-controller", work, [nodes]);
}
