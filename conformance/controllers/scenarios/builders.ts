import type { PodTemplateSpec } from "pintle/kinds/core/v1";
import { Pod } from "pintle/kinds/core/v1";
import type { ScenarioContext } from "../scenario.ts";

/** A pod template with one container. */
export function buildPodTemplate(app: string, image = "web:1", annotations?: Readonly<Record<string, string>>): PodTemplateSpec {
  return {
    metadata: { labels: { app }, ...(annotations === undefined ? {} : { annotations }) },
    spec: { containers: [{ name: "main", image }] },
  };
}

export async function listPods({ client, namespace }: ScenarioContext): Promise<readonly Pod[]> {
  return (await client.list(Pod, { namespace })).items;
}

export const noCondition = async () => true;
