import { AlreadyExists, Forbidden } from "pintle/client";
import { PersistentVolumeClaim, Pod } from "pintle/kinds/core/v1";
import { type ControllerContext, type ControlPlaneComponent, createQueueComponent } from "../component.ts";
import { FIELD_MANAGER } from "../field-manager.ts";
import { getObjectKey, splitObjectKey } from "../shared/object-key.ts";
import { buildControllerRef } from "../shared/owner-reference.ts";

/** Starts the controller that creates the claims of generic ephemeral volumes. */
export function startEphemeralVolumeController({ client, cache, clock, createWorkQueue }: ControllerContext): ControlPlaneComponent {
  const pods = cache.watch(Pod);
  const claims = cache.watch(PersistentVolumeClaim);
  const work = createWorkQueue({ clock, concurrency: 4, work: ({ key }) => sync(key) });
  pods.addEventHandler(({ new: current }) => {
    if (current === undefined || current.metadata.deletionTimestamp !== undefined) return;
    if (current.spec.volumes?.some(({ ephemeral }) => ephemeral !== undefined)) work.add(getObjectKey(current));
  });

  const sync = async (key: string): Promise<undefined> => {
    const { namespace, name: podName } = splitObjectKey(key);
    const pod = pods.get({ name: podName, namespace });
    for (const { name: volume, ephemeral } of pod?.spec.volumes ?? []) {
      const template = ephemeral?.volumeClaimTemplate;
      const name = `${podName}-${volume}`;
      if (pod === undefined || template === undefined || claims.get({ name, namespace }) !== undefined) continue;
      const { labels, annotations } = template.metadata ?? {};
      const metadata = { name, namespace, labels, annotations, ownerReferences: [buildControllerRef(Pod, pod)] };
      try {
        await client.create(PersistentVolumeClaim, { metadata, spec: template.spec }, FIELD_MANAGER);
      } catch (error) {
        if (!(error instanceof AlreadyExists) && !(error instanceof Forbidden)) throw error;
      }
    }
  };
  return createQueueComponent("ephemeral-volume-controller", work, [pods, claims]);
}
