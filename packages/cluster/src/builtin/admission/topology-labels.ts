import type { JsonObject } from "pintle/kinds";
import type { Binding, Node, Pod } from "pintle/kinds/core/v1";
import { type AdmissionPlugin, metadataOf } from "../../api/index.ts";
import type { Store } from "../../store/index.ts";
import type { Loose } from "../draft.ts";
import { storedOne } from "./plugin.ts";

const TOPOLOGY = ["topology.kubernetes.io/region", "topology.kubernetes.io/zone"];

/** A pod that is put on a node is told by labels where that is: with the Binding that puts it there, or when it is made for the node. */
export function podTopologyLabels(store: Store): AdmissionPlugin {
  const labelled = async (object: JsonObject, nodeName: string): Promise<JsonObject | undefined> => {
    const node = await storedOne<Node>(store, "", "nodes", nodeName);
    const of = node?.metadata?.labels ?? {};
    const found = TOPOLOGY.filter((label) => of[label] !== undefined).map((label) => [label, of[label] as string] as const);
    if (found.length === 0) return undefined;
    const { labels, ...metadata } = metadataOf(object);
    return { ...object, metadata: { ...metadata, labels: { ...labels, ...Object.fromEntries(found) } } as JsonObject };
  };
  return {
    name: "PodTopologyLabels",
    admit({ operation, resource, subresource, object }) {
      if (operation !== "CREATE" || object === undefined || resource.plural !== "pods" || resource.group !== "") return undefined;
      const nodeName =
        subresource === "binding"
          ? (object as Loose<Binding>).target?.name
          : subresource === ""
            ? (object as Loose<Pod>).spec?.nodeName
            : undefined;
      return nodeName ? labelled(object, nodeName) : undefined;
    },
  };
}
