import { Conflict, NotFound } from "pintle/client";
import { Service } from "pintle/kinds/core/v1";
import { queue } from "pintle/queue";
import { MANAGED } from "../managed.ts";
import { type Part, type Plant, queued } from "../part.ts";

const COMPONENT = "service-controller";
const FINALIZER = "service.kubernetes.io/load-balancer-cleanup";
/** Addresses for documentation: nothing answers there. */
const NETWORK = "198.51.100.";
const LARGEST = 254;

/** Gives services of type LoadBalancer an address, as a cloud would; those with a class are for somebody else. */
export function loadBalancers({ client, cache, clock, events }: Plant): Part {
  const services = cache.watch(Service);
  const work = queue({ clock, work: ({ key }) => attend(key) });
  services.on(({ new: seen }) => {
    if (seen !== undefined) work.add(`${seen.metadata.namespace}/${seen.metadata.name}`);
  });

  const attend = async (key: string): Promise<undefined> => {
    const [namespace = "", name = ""] = key.split("/");
    const service = services.get({ name, namespace });
    if (service === undefined || service.spec.loadBalancerClass !== undefined) return;
    const held = service.metadata.finalizers?.includes(FINALIZER) === true;
    const wanted = service.spec.type === "LoadBalancer" && service.metadata.deletionTimestamp === undefined;
    try {
      if (wanted && !service.status.loadBalancer?.ingress?.length) await provide(service, held);
      else if (!wanted && held) await withdraw(service);
    } catch (error) {
      if (!(error instanceof NotFound) && !(error instanceof Conflict)) throw error;
    }
  };
  const provide = async (service: Service, held: boolean) => {
    say(service, "EnsuringLoadBalancer", "Ensuring load balancer");
    const finalizers = [...(service.metadata.finalizers ?? []), FINALIZER];
    if (!held) await client.patch(Service, service.metadata, { merge: { metadata: { finalizers } } }, MANAGED);
    const ip = service.spec.loadBalancerIP || freeAddress();
    await client.status.patch(
      Service,
      service.metadata,
      { merge: { status: { loadBalancer: { ingress: [{ ip, ipMode: "VIP" }] } } } },
      MANAGED,
    );
    say(service, "EnsuredLoadBalancer", "Ensured load balancer");
  };
  const withdraw = async (service: Service) => {
    say(service, "DeletingLoadBalancer", "Deleting load balancer");
    const finalizers = service.metadata.finalizers!.filter((finalizer) => finalizer !== FINALIZER);
    await client.patch(
      Service,
      service.metadata,
      { merge: { metadata: { finalizers: finalizers.length === 0 ? null : finalizers } } },
      MANAGED,
    );
    say(service, "DeletedLoadBalancer", "Deleted load balancer");
  };
  const freeAddress = (): string => {
    const taken = new Set(services.list().flatMap(({ status }) => status.loadBalancer?.ingress?.map(({ ip }) => ip) ?? []));
    for (let i = 1; i <= LARGEST; i++) if (!taken.has(NETWORK + i)) return NETWORK + i;
    throw new Error(`no address is left for a load balancer: all ${LARGEST} are in use`);
  };
  const say = (object: Service, reason: string, message: string) =>
    events.announce({ component: COMPONENT, kind: Service, object, type: "Normal", reason, message });
  return queued("service-lb-controller", work, [services]);
}
