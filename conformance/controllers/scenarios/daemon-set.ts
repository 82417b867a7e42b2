import { DaemonSet } from "pintle/kinds/apps/v1";
import { Pod } from "pintle/kinds/core/v1";
import type { Scenario, ScenarioContext } from "../scenario.ts";
import { buildPodTemplate, listPods } from "./builders.ts";

const NAME = "agent";
const ref = ({ namespace }: ScenarioContext) => ({ name: NAME, namespace });

async function isSettled(context: ScenarioContext, size: number): Promise<boolean> {
  const { metadata, status } = await context.client.get(DaemonSet, ref(context));
  return (
    status.observedGeneration === metadata.generation &&
    (status.numberAvailable ?? 0) === size &&
    (status.updatedNumberScheduled ?? 0) === size &&
    (await listPods(context)).length === size
  );
}
const patch = (context: ScenarioContext, spec: object) => context.client.patch(DaemonSet, ref(context), { strategic: { spec } });
const image = (to: string) => ({ template: { spec: { containers: [{ name: "main", image: to }] } } });

export const daemonSet: Scenario = {
  name: "daemon set",
  sample: true,
  steps: [
    {
      name: "apply",
      act: (context) =>
        context.client.create(DaemonSet, {
          metadata: ref(context),
          spec: { selector: { matchLabels: { app: NAME } }, template: buildPodTemplate(NAME) },
        }),
      until: (context) => isSettled(context, 2),
    },
    { name: "roll out", act: (context) => patch(context, image("web:2")), until: (context) => isSettled(context, 2) },
    {
      name: "roll out by surge",
      act: (context) => patch(context, { ...image("web:3"), updateStrategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } }),
      until: (context) => isSettled(context, 2),
    },
    {
      name: "a pod is deleted",
      async act(context) {
        const [pod] = await listPods(context);
        await context.client.delete(Pod, pod!.metadata);
        await context.client.waitForDeletion(Pod, pod!.metadata, { uid: pod!.metadata.uid, timeout: 30_000 });
      },
      until: (context) => isSettled(context, 2),
    },
    {
      name: "one node only",
      act: (context) => patch(context, { template: { spec: { nodeSelector: { "kubernetes.io/hostname": "node-1" } } } }),
      until: (context) => isSettled(context, 1),
    },
  ],
};
