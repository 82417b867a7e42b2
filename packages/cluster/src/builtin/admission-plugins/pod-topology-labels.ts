import type { JsonObject } from "pintle/kinds";
import type { Binding, Node, Pod } from "pintle/kinds/core/v1";
import { type AdmissionPlugin, getMetadata } from "../../api/index.ts";
import type { ObjectStore } from "../../store/index.ts";
import type { Unvalidated } from "../draft.ts";
import { getStored } from "./resource-plugin.ts";

const TOPOLOGY_LABELS = ["topology.kubernetes.io/region", "topology.kubernetes.io/zone"];

/** Copies the topology labels of the node to pods that are bound to it or created with its name. */
export function createPodTopologyLabelsPlugin(store: ObjectStore): AdmissionPlugin {
  const addTopologyLabels = async (object: JsonObject, nodeName: string): Promise<JsonObject | undefined> => {
    const node = await getStored<Node>(store, "", "nodes", nodeName);
    const of = node?.metadata?.labels ?? {};
    const found = TOPOLOGY_LABELS.filter((label) => of[label] !== undefined).map((label) => [label, of[label] as string] as const);
    if (found.length === 0) return undefined;
    const { labels, ...metadata } = getMetadata(object);
    return { ...object, metadata: { ...metadata, labels: { ...labels, ...Object.fromEntries(found) } } as JsonObject };
  };
  return {
    name: "PodTopologyLabels",
    admit({ operation, resource, subresource, object }) {
      if (operation !== "CREATE" || object === undefined || resource.plural !== "pods" || resource.group !== "") return undefined;
      const nodeName =
        subresource === "binding"
          ? (object as Unvalidated<Binding>).target?.name
          : subresource === ""
            ? (object as Unvalidated<Pod>).spec?.nodeName
            : undefined;
      return nodeName ? addTopologyLabels(object, nodeName) : undefined;
    },
  };
}
