import { AlreadyExists, Forbidden } from "pintle/client";
import { PersistentVolumeClaim, Pod } from "pintle/kinds/core/v1";
import { queue } from "pintle/queue";
import { MANAGED } from "../managed.ts";
import { controlledBy } from "../owner.ts";
import { type Part, type Plant, queued } from "../part.ts";

/** Makes the claims of volumes that live and go with their pod. */
export function ephemeralVolumes({ client, cache, clock }: Plant): Part {
  const pods = cache.watch(Pod);
  const claims = cache.watch(PersistentVolumeClaim);
  const work = queue({ clock, concurrency: 4, work: ({ key }) => attend(key) });
  pods.on(({ new: seen }) => {
    if (seen === undefined || seen.metadata.deletionTimestamp !== undefined) return;
    if (seen.spec.volumes?.some(({ ephemeral }) => ephemeral !== undefined)) work.add(`${seen.metadata.namespace}/${seen.metadata.name}`);
  });

  const attend = async (key: string): Promise<undefined> => {
    const [namespace = "", podName = ""] = key.split("/");
    const pod = pods.get({ name: podName, namespace });
    for (const { name: volume, ephemeral } of pod?.spec.volumes ?? []) {
      const template = ephemeral?.volumeClaimTemplate;
      const name = `${podName}-${volume}`;
      if (pod === undefined || template === undefined || claims.get({ name, namespace }) !== undefined) continue;
      const { labels, annotations } = template.metadata ?? {};
      const metadata = { name, namespace, labels, annotations, ownerReferences: [controlledBy(Pod, pod)] };
      try {
        await client.create(PersistentVolumeClaim, { metadata, spec: template.spec }, MANAGED);
      } catch (error) {
        if (!(error instanceof AlreadyExists) && !(error instanceof Forbidden)) throw error;
      }
    }
  };
  return queued("ephemeral-volume-controller", work, [pods, claims]);
}
