import { AlreadyExists, Conflict, Forbidden, NotFound } from "pintle/client";
import { Endpoints, Pod, Service } from "pintle/kinds/core/v1";
import { canonical } from "pintle/merge";
import { queue } from "pintle/queue";
import { MANAGED } from "../managed.ts";
import { type Part, type Plant, queued } from "../part.ts";
import { isHeadless } from "../service/members.ts";
import { serviceMembers } from "../service/service-members.ts";
import { TRIGGER_TIME, triggerTimes } from "../service/trigger-time.ts";
import { subsetsOf } from "./subsets.ts";

const HEADLESS = "service.kubernetes.io/headless";
const MANAGED_BY = "endpoints.kubernetes.io/managed-by";

/** Keeps the Endpoints of every service with a selector, for those who still read them. */
export function endpoints({ client, cache, clock }: Plant): Part {
  const services = cache.watch(Service);
  const pods = cache.watch(Pod);
  const all = cache.watch(Endpoints);
  const times = triggerTimes();
  const work = queue({ clock, concurrency: 8, work: ({ key }) => attend(key) });
  const members = serviceMembers({ services, pods, wake: (key) => work.add(key) });
  all.on(({ event, old, new: seen }) => {
    // As the real one: those made for no service are left alone, and only leftovers of a start are cleaned up.
    if (seen === undefined || event === "listed") work.add(`${(seen ?? old)!.metadata.namespace}/${(seen ?? old)!.metadata.name}`);
  });

  const attend = async (key: string): Promise<undefined> => {
    const [namespace = "", name = ""] = key.split("/");
    const service = services.get({ name, namespace });
    const known = all.get({ name, namespace });
    try {
      if (service === undefined) {
        times.forget(key);
        if (known !== undefined && services.isSynced) await client.delete(Endpoints, { name, namespace }, { uid: known.metadata.uid });
      } else if (service.spec.selector !== undefined && service.spec.type !== "ExternalName") await keep(service, known);
    } catch (error) {
      // Gone or not wanted any more; a change in between brings us back.
      if (
        !(error instanceof NotFound) &&
        !(error instanceof Forbidden) &&
        !(error instanceof Conflict) &&
        !(error instanceof AlreadyExists)
      )
        throw error;
    }
  };
  const keep = async (service: Service, known: Endpoints | undefined) => {
    const { name, namespace, labels: own } = service.metadata;
    const chosen = members(service);
    const time = times.of(service, chosen);
    const subsets = subsetsOf(service, chosen);
    const labels = { ...own, ...(isHeadless(service) ? { [HEADLESS]: "" } : {}), [MANAGED_BY]: "endpoint-controller" };
    if (
      known !== undefined &&
      canonical(known.subsets ?? []) === canonical(subsets) &&
      canonical(known.metadata.labels ?? {}) === canonical(labels)
    )
      return;
    const { [TRIGGER_TIME]: _, ...others } = known?.metadata.annotations ?? {};
    const annotations = { ...others, ...(time === undefined ? {} : { [TRIGGER_TIME]: time }) };
    if (known === undefined) await client.create(Endpoints, { metadata: { name, namespace, labels, annotations }, subsets }, MANAGED);
    else await client.replace(Endpoints, { ...known, metadata: { ...known.metadata, labels, annotations }, subsets }, MANAGED);
  };
  return queued("endpoints-controller", work, [services, pods, all]);
}
