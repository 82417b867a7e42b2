import type { JsonObject } from "pintle/kinds";
import { timestamp } from "../../api/index.ts";
import type { NodeStreams, Usage } from "../../node/index.ts";

/** What a node and its pods use now, in the form of a kubelet's summary. */
export function statsSummary(nodeName: string, { node, pods }: Awaited<ReturnType<NodeStreams["usage"]>>, now: number): JsonObject {
  const time = timestamp(now);
  const shown = ({ cpuNanoCores, memoryBytes }: Usage) => ({
    cpu: { time, usageNanoCores: cpuNanoCores },
    memory: { time, usageBytes: memoryBytes, workingSetBytes: memoryBytes },
  });
  return {
    node: { nodeName, startTime: time, ...shown(node) },
    pods: pods.map(({ namespace, pod, containers }) => ({
      podRef: { name: pod, namespace, uid: "" },
      startTime: time,
      containers: Object.entries(containers).map(([name, usage]) => ({ name, startTime: time, ...shown(usage) })),
    })),
  };
}
