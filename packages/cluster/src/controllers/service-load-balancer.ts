import { Conflict, NotFound } from "pintle/client";
import { PintleError } from "pintle/internal/errors";
import { Service } from "pintle/kinds/core/v1";
import { type ControllerContext, type ControlPlaneComponent, createQueueComponent } from "./component.ts";
import { FIELD_MANAGER } from "./field-manager.ts";
import { getObjectKey, splitObjectKey } from "./shared/object-key.ts";

const COMPONENT = "service-controller";
const FINALIZER = "service.kubernetes.io/load-balancer-cleanup";
/** A documentation range (TEST-NET-2): no host uses it. */
const ADDRESS_PREFIX = "198.51.100.";
const MAX_HOST = 254;

/**
 * Starts the controller that assigns an address to Services of type LoadBalancer, as a cloud provider does. Services with a
 * loadBalancerClass are ignored.
 */
export function startServiceLoadBalancerController({
  client,
  cache,
  clock,
  createWorkQueue,
  events,
}: ControllerContext): ControlPlaneComponent {
  const services = cache.watch(Service);
  const work = createWorkQueue({ clock, work: ({ key }) => sync(key) });
  services.addEventHandler(({ new: current }) => {
    if (current !== undefined) work.add(getObjectKey(current));
  });

  const sync = async (key: string): Promise<undefined> => {
    const { namespace, name } = splitObjectKey(key);
    const service = services.get({ name, namespace });
    if (service === undefined || service.spec.loadBalancerClass !== undefined) return;
    const hasFinalizer = service.metadata.finalizers?.includes(FINALIZER) === true;
    const isDesired = service.spec.type === "LoadBalancer" && service.metadata.deletionTimestamp === undefined;
    try {
      if (isDesired && !service.status.loadBalancer?.ingress?.length) await ensureLoadBalancer(service, hasFinalizer);
      else if (!isDesired && hasFinalizer) await deleteLoadBalancer(service);
    } catch (error) {
      if (!(error instanceof NotFound) && !(error instanceof Conflict)) throw error;
    }
  };
  const ensureLoadBalancer = async (service: Service, hasFinalizer: boolean) => {
    recordEvent(service, "EnsuringLoadBalancer", "Ensuring load balancer");
    const finalizers = [...(service.metadata.finalizers ?? []), FINALIZER];
    if (!hasFinalizer) await client.patch(Service, service.metadata, { merge: { metadata: { finalizers } } }, FIELD_MANAGER);
    const ip = service.spec.loadBalancerIP || allocateAddress();
    await client.status.patch(
      Service,
      service.metadata,
      { merge: { status: { loadBalancer: { ingress: [{ ip, ipMode: "VIP" }] } } } },
      FIELD_MANAGER,
    );
    recordEvent(service, "EnsuredLoadBalancer", "Ensured load balancer");
  };
  const deleteLoadBalancer = async (service: Service) => {
    recordEvent(service, "DeletingLoadBalancer", "Deleting load balancer");
    const finalizers = service.metadata.finalizers!.filter((finalizer) => finalizer !== FINALIZER);
    await client.patch(
      Service,
      service.metadata,
      { merge: { metadata: { finalizers: finalizers.length === 0 ? null : finalizers } } },
      FIELD_MANAGER,
    );
    recordEvent(service, "DeletedLoadBalancer", "Deleted load balancer");
  };
  const allocateAddress = (): string => {
    const used = new Set(services.list().flatMap(({ status }) => status.loadBalancer?.ingress?.map(({ ip }) => ip) ?? []));
    for (let i = 1; i <= MAX_HOST; i++) if (!used.has(ADDRESS_PREFIX + i)) return ADDRESS_PREFIX + i;
    throw new PintleError("PINTLE6001", `no free address for a load balancer: all ${MAX_HOST} are in use`);
  };
  const recordEvent = (object: Service, reason: string, message: string) =>
    events.record({ component: COMPONENT, kind: Service, object, type: "Normal", reason, message });
  return createQueueComponent("service-lb-controller", work, [services]);
}
