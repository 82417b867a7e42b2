import { NotFound } from "pintle/client";
import type { CachedView } from "pintle/internal/cache";
import { canonicalJson } from "pintle/internal/merge";
import { type JsonObject, type KindInfo, metadataOnly } from "pintle/kinds";
import { PersistentVolumeClaim, Pod, ResourceQuota, Service } from "pintle/kinds/core/v1";
import { getQuotaUsage, matchesQuotaScopes, type QuotaUsage, sumQuotaUsage } from "../builtin/index.ts";
import { type ControllerContext, type ControlPlaneComponent, createQueueComponent } from "./component.ts";
import { FIELD_MANAGER } from "./field-manager.ts";
import { getObjectKey, splitObjectKey } from "./shared/object-key.ts";

interface QuotaMonitor {
  readonly group: string;
  readonly plural: string;
  readonly view: CachedView<any>;
}

/** Resource names of quotas without the prefix "count/". */
const LEGACY_NAMES: Readonly<Record<string, string>> = {
  configmaps: "configmaps",
  secrets: "secrets",
  replicationcontrollers: "replicationcontrollers",
  resourcequotas: "resourcequotas",
};

/** Starts the controller that maintains status.used of ResourceQuotas. It mostly handles deletions: admission counts created objects. */
export function startResourceQuotaController({ client, cache, clock, createWorkQueue }: ControllerContext): ControlPlaneComponent {
  const quotas = cache.watch(ResourceQuota);
  const monitors: QuotaMonitor[] = [
    { group: "", plural: "pods", view: cache.watch(Pod) },
    { group: "", plural: "services", view: cache.watch(Service) },
    { group: "", plural: "persistentvolumeclaims", view: cache.watch(PersistentVolumeClaim) },
  ];
  const work = createWorkQueue({ clock, concurrency: 4, work: ({ key }) => sync(key) });
  const enqueue = (object: ResourceQuota) => work.add(getObjectKey(object));
  quotas.addEventHandler(({ new: current }) => {
    if (current !== undefined) enqueue(current);
  });
  const watchMonitor = ({ group, plural, view }: QuotaMonitor) =>
    view.addEventHandler(({ old, new: current }) => {
      if (old === undefined || !quotas.isSynced) return;
      const affected = quotas.list({ namespace: old.metadata.namespace as string });
      if (affected.length === 0) return;
      const isChanged =
        current === undefined || canonicalJson(getQuotaUsage(group, plural, old)) !== canonicalJson(getQuotaUsage(group, plural, current));
      if (isChanged) for (const quota of affected) enqueue(quota);
    });
  for (const each of monitors) watchMonitor(each);
  /** Adds a monitor for every kind that a quota counts by name. */
  const addMonitors = async ({ spec }: ResourceQuota) => {
    for (const name of Object.keys(spec.hard ?? {})) {
      const [, plural = "", group = ""] = /^count\/([^.]+)(?:\.(.+))?$/.exec(name) ?? [undefined, LEGACY_NAMES[name] ?? "", ""];
      if (plural === "" || monitors.some((each) => each.group === group && each.plural === plural)) continue;
      const kind = (await client.discoverKinds()).find((each) => each.group === group && each.plural === plural) as KindInfo | undefined;
      if (kind === undefined) continue;
      const monitor = { group, plural, view: cache.watch(metadataOnly(kind as never)) as CachedView<any> };
      monitors.push(monitor);
      watchMonitor(monitor);
      await monitor.view.waitForSync();
    }
  };

  const sync = async (key: string): Promise<undefined> => {
    const { namespace, name } = splitObjectKey(key);
    const quota = quotas.get({ name, namespace });
    if (quota === undefined) return;
    await addMonitors(quota);
    const hard = quota.spec.hard ?? {};
    const usages = monitors.flatMap(({ group, plural, view }) =>
      (view.list({ namespace }) as readonly JsonObject[]).flatMap((object): readonly QuotaUsage[] =>
        matchesQuotaScopes(quota as never, group, plural, object) ? [getQuotaUsage(group, plural, object)] : [],
      ),
    );
    const status = { hard, used: sumQuotaUsage(Object.keys(hard), usages) };
    if (canonicalJson(status) === canonicalJson(quota.status)) return;
    try {
      await client.status.replace(ResourceQuota, { ...quota, status }, FIELD_MANAGER);
    } catch (error) {
      if (!(error instanceof NotFound)) throw error;
    }
  };
  const part = createQueueComponent("resourcequota-controller", work, [quotas, ...monitors.map(({ view }) => view)]);
  return {
    ...part,
    async stop() {
      await part.stop();
      await Promise.all(monitors.map(({ view }) => view.close()));
    },
  };
}
