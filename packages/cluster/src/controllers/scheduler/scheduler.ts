import { Conflict, NotFound } from "pintle/client";
import { Node, Pod } from "pintle/kinds/core/v1";
import { queue } from "pintle/queue";
import { timestamp } from "../../api/index.ts";
import type { Part, Plant } from "../part.ts";
import { misfit, unschedulableMessage } from "./fit.ts";

const NAME = "default-scheduler";
const BY_NODE = "node";

/** Finds a node for every pod that has none and asks for this scheduler; the emptiest fitting node gets it. */
export function scheduler({ client, cache, clock }: Plant): Part {
  const nodes = cache.watch(Node);
  const pods = cache.watch(Pod);
  pods.index(BY_NODE, (pod) => (pod.spec.nodeName ? [pod.spec.nodeName] : []));
  const work = queue({ clock, concurrency: 16, work: ({ key }) => attend(key) });
  const waits = (pod: Pod) =>
    !pod.spec.nodeName && pod.metadata.deletionTimestamp === undefined && (pod.spec.schedulerName ?? NAME) === NAME;
  const keyOf = ({ metadata }: Pod) => `${metadata.namespace}/${metadata.name}`;
  pods.on(({ new: seen }) => seen && waits(seen) && work.add(keyOf(seen)));
  // A new or changed node may be the one somebody waits for.
  nodes.on(({ new: seen }) => {
    if (seen === undefined || !pods.isSynced) return;
    for (const pod of pods.list()) if (waits(pod)) work.add(keyOf(pod));
  });
  /** Bound by us and not yet shown by the watch: counted, so that a burst spreads. */
  const bound = new Map<string, string>();

  const attend = async (key: string): Promise<undefined> => {
    const [namespace = "", name = ""] = key.split("/");
    const pod = pods.get({ name, namespace });
    if (pod === undefined || !waits(pod)) return void bound.delete(key);
    const candidates = nodes.list().map((node) => ({ node, load: loadOf(node.metadata.name) }));
    const fitting = candidates.filter(({ node, load }) => misfit(pod, node, load) === undefined);
    const [best] = fitting.sort((a, b) => a.load - b.load || (a.node.metadata.name < b.node.metadata.name ? -1 : 1));
    try {
      if (best === undefined)
        await refuse(
          pod,
          candidates.flatMap(({ node, load }) => misfit(pod, node, load) ?? []),
          candidates.length,
        );
      else await bind(key, pod, best.node.metadata.name);
    } catch (error) {
      // Gone, or bound by someone else.
      if (!(error instanceof NotFound) && !(error instanceof Conflict)) throw error;
    }
    return undefined;
  };
  const loadOf = (node: string) => {
    const known = pods.by(BY_NODE, node);
    const seen = new Set(known.map(keyOf));
    let load = known.length;
    for (const [key, on] of bound)
      if (seen.has(key)) bound.delete(key);
      else if (on === node) load++;
    return load;
  };
  const bind = async (key: string, pod: Pod, node: string) => {
    bound.set(key, node);
    try {
      await client.bind(Pod, pod.metadata, node);
    } catch (error) {
      bound.delete(key);
      throw error;
    }
  };
  const refuse = async (pod: Pod, reasons: readonly string[], count: number) => {
    const message = unschedulableMessage(count, reasons);
    const old = pod.status.conditions?.find((c) => c.type === "PodScheduled");
    if (old?.reason === "Unschedulable" && old.message === message) return;
    const lastTransitionTime = old?.status === "False" ? old.lastTransitionTime : timestamp(clock.now());
    const condition = { type: "PodScheduled", status: "False", reason: "Unschedulable", message, lastTransitionTime };
    await client.status.patch(
      Pod,
      pod.metadata,
      { strategic: { status: { conditions: [condition] } } },
      { fieldManager: "kube-scheduler" },
    );
  };

  return {
    name: "scheduler",
    ready: Promise.all([nodes.synced(), pods.synced()]).then(() => work.start()),
    async stop() {
      await work.stop();
      await Promise.all([nodes.close(), pods.close()]);
    },
  };
}
