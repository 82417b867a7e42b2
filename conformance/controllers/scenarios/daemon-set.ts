import { DaemonSet } from "pintle/kinds/apps/v1";
import { Pod } from "pintle/kinds/core/v1";
import type { Scenario, World } from "../scenario.ts";
import { podsOf, template } from "./make.ts";

const NAME = "agent";
const ref = ({ namespace }: World) => ({ name: NAME, namespace });

async function settled(world: World, size: number): Promise<boolean> {
  const { metadata, status } = await world.client.get(DaemonSet, ref(world));
  return (
    status.observedGeneration === metadata.generation &&
    (status.numberAvailable ?? 0) === size &&
    (status.updatedNumberScheduled ?? 0) === size &&
    (await podsOf(world)).length === size
  );
}
const patch = (world: World, spec: object) => world.client.patch(DaemonSet, ref(world), { strategic: { spec } });
const image = (to: string) => ({ template: { spec: { containers: [{ name: "main", image: to }] } } });

export const daemonSet: Scenario = {
  name: "daemon set",
  sample: true,
  steps: [
    {
      name: "apply",
      act: (world) =>
        world.client.create(DaemonSet, {
          metadata: ref(world),
          spec: { selector: { matchLabels: { app: NAME } }, template: template(NAME) },
        }),
      until: (world) => settled(world, 2),
    },
    { name: "roll out", act: (world) => patch(world, image("web:2")), until: (world) => settled(world, 2) },
    {
      name: "roll out by surge",
      act: (world) => patch(world, { ...image("web:3"), updateStrategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } }),
      until: (world) => settled(world, 2),
    },
    {
      name: "a pod is deleted",
      async act(world) {
        const [pod] = await podsOf(world);
        await world.client.delete(Pod, pod!.metadata);
        await world.client.waitGone(Pod, pod!.metadata, { uid: pod!.metadata.uid, timeout: 30_000 });
      },
      until: (world) => settled(world, 2),
    },
    {
      name: "one node only",
      act: (world) => patch(world, { template: { spec: { nodeSelector: { "kubernetes.io/hostname": "node-1" } } } }),
      until: (world) => settled(world, 1),
    },
  ],
};
