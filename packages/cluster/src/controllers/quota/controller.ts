import type { View } from "pintle/cache";
import { NotFound } from "pintle/client";
import { type JsonObject, type KindFacts, meta } from "pintle/kinds";
import { PersistentVolumeClaim, Pod, ResourceQuota, Service } from "pintle/kinds/core/v1";
import { canonical } from "pintle/merge";
import { queue } from "pintle/queue";
import { quotaScope, sumUsage, type Usage, usageOf } from "../../builtin/index.ts";
import { MANAGED } from "../managed.ts";
import { type Part, type Plant, queued } from "../part.ts";

interface Counted {
  readonly group: string;
  readonly plural: string;
  readonly view: View<any>;
}

/** Older names of counted kinds. */
const PLAIN: Readonly<Record<string, string>> = {
  configmaps: "configmaps",
  secrets: "secrets",
  replicationcontrollers: "replicationcontrollers",
  resourcequotas: "resourcequotas",
};

/** Keeps what ResourceQuotas say is used, above all when something goes: what comes is counted as it is admitted. */
export function resourceQuotas({ client, cache, clock }: Plant): Part {
  const quotas = cache.watch(ResourceQuota);
  const known: Counted[] = [
    { group: "", plural: "pods", view: cache.watch(Pod) },
    { group: "", plural: "services", view: cache.watch(Service) },
    { group: "", plural: "persistentvolumeclaims", view: cache.watch(PersistentVolumeClaim) },
  ];
  const work = queue({ clock, concurrency: 4, work: ({ key }) => attend(key) });
  const wake = ({ metadata }: ResourceQuota) => work.add(`${metadata.namespace}/${metadata.name}`);
  quotas.on(({ new: seen }) => {
    if (seen !== undefined) wake(seen);
  });
  const follow = ({ group, plural, view }: Counted) =>
    view.on(({ old, new: seen }) => {
      if (old === undefined || !quotas.isSynced) return;
      const concerned = quotas.list({ namespace: old.metadata.namespace as string });
      if (concerned.length === 0) return;
      const less = seen === undefined || canonical(usageOf(group, plural, old)) !== canonical(usageOf(group, plural, seen));
      if (less) for (const quota of concerned) wake(quota);
    });
  for (const each of known) follow(each);
  /** Kinds that some quota counts by name are followed from then on. */
  const followNamed = async ({ spec }: ResourceQuota) => {
    for (const name of Object.keys(spec.hard ?? {})) {
      const [, plural = "", group = ""] = /^count\/([^.]+)(?:\.(.+))?$/.exec(name) ?? [undefined, PLAIN[name] ?? "", ""];
      if (plural === "" || known.some((each) => each.group === group && each.plural === plural)) continue;
      const kind = (await client.kinds()).find((each) => each.group === group && each.plural === plural) as KindFacts | undefined;
      if (kind === undefined) continue;
      const made = { group, plural, view: cache.watch(meta(kind as never)) as View<any> };
      known.push(made);
      follow(made);
      await made.view.synced();
    }
  };

  const attend = async (key: string): Promise<undefined> => {
    const [namespace = "", name = ""] = key.split("/");
    const quota = quotas.get({ name, namespace });
    if (quota === undefined) return;
    await followNamed(quota);
    const hard = quota.spec.hard ?? {};
    const usages = known.flatMap(({ group, plural, view }) =>
      (view.list({ namespace }) as readonly JsonObject[]).flatMap((object): readonly Usage[] =>
        quotaScope(quota as never, group, plural, object) ? [usageOf(group, plural, object)] : [],
      ),
    );
    const status = { hard, used: sumUsage(Object.keys(hard), usages) };
    if (canonical(status) === canonical(quota.status)) return;
    try {
      await client.status.replace(ResourceQuota, { ...quota, status }, MANAGED);
    } catch (error) {
      if (!(error instanceof NotFound)) throw error;
    }
  };
  const part = queued("resourcequota-controller", work, [quotas, ...known.map(({ view }) => view)]);
  return {
    ...part,
    async stop() {
      await part.stop();
      await Promise.all(known.map(({ view }) => view.close()));
    },
  };
}
