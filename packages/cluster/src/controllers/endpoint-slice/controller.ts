import { Node, Pod, Service } from "pintle/kinds/core/v1";
import { EndpointSlice } from "pintle/kinds/discovery/v1";
import { queue } from "pintle/queue";
import { controlledBy } from "../owner.ts";
import { type Part, type Plant, queued } from "../part.ts";
import { isHeadless } from "../service/members.ts";
import { serviceMembers } from "../service/service-members.ts";
import { TRIGGER_TIME, triggerTimes } from "../service/trigger-time.ts";
import { carryOut } from "./carry-out.ts";
import { endpointGroups } from "./groups.ts";
import { HEADLESS, MANAGED_BY, SERVICE_NAME, sliceStep } from "./slices.ts";

const NAME = "endpointslice-controller.k8s.io";
const RESERVED = new Set([SERVICE_NAME, MANAGED_BY, HEADLESS]);
const BY_SERVICE = "slices of services";
const serviceOf = ({ metadata: { labels = {}, namespace } }: EndpointSlice) =>
  labels[MANAGED_BY] === NAME && labels[SERVICE_NAME] !== undefined ? [`${namespace}/${labels[SERVICE_NAME]}`] : [];

/** Keeps the EndpointSlices of every service with a selector what its pods are. */
export function endpointSlices({ client, cache, clock }: Plant): Part {
  const services = cache.watch(Service);
  const pods = cache.watch(Pod);
  const nodes = cache.watch(Node);
  const slices = cache.watch(EndpointSlice);
  slices.index(BY_SERVICE, serviceOf);
  const times = triggerTimes();
  const work = queue({ clock, concurrency: 8, work: ({ key }) => attend(key) });
  const members = serviceMembers({ services, pods, wake: (key) => work.add(key) });
  slices.on(({ old, new: seen }) => {
    for (const key of serviceOf((seen ?? old)!)) work.add(key);
  });

  const attend = async (key: string): Promise<undefined> => {
    const [namespace = "", name = ""] = key.split("/");
    const service = services.get({ name, namespace });
    if (service === undefined) return times.forget(key) as undefined;
    if (service.spec.selector === undefined || service.spec.type === "ExternalName" || service.metadata.deletionTimestamp !== undefined)
      return;
    const chosen = members(service);
    const time = times.of(service, chosen);
    const own = Object.fromEntries(Object.entries(service.metadata.labels ?? {}).filter(([label]) => !RESERVED.has(label)));
    const labels = { ...own, ...(isHeadless(service) ? { [HEADLESS]: "" } : {}), [SERVICE_NAME]: name, [MANAGED_BY]: NAME };
    const annotations: Record<string, string> = time === undefined ? {} : { [TRIGGER_TIME]: time };
    const groups = endpointGroups(service, chosen, (node) => nodes.get({ name: node }));
    await carryOut(
      client,
      sliceStep({ service, owner: controlledBy(Service, service), labels, annotations }, groups, slices.by(BY_SERVICE, key)),
    );
  };
  return queued("endpointslice-controller", work, [services, pods, nodes, slices]);
}
