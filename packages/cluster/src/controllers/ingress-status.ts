import { NotFound } from "pintle/client";
import { Ingress, IngressClass } from "pintle/kinds/networking/v1";
import { type ControllerContext, type ControlPlaneComponent, createQueueComponent } from "./component.ts";
import { FIELD_MANAGER } from "./field-manager.ts";
import { getObjectKey, splitObjectKey } from "./shared/object-key.ts";

/** `spec.controller` of the IngressClasses that this controller serves. */
const CONTROLLER = "pintle.dev/ingress";
const ADDRESS = "198.51.100.255";

/**
 * Starts the controller that assigns an address to Ingresses of the embedded class, as an ingress controller does. Ingresses of other
 * classes are ignored.
 */
export function startIngressStatusController({ client, cache, clock, createWorkQueue }: ControllerContext): ControlPlaneComponent {
  const all = cache.watch(Ingress);
  const classes = cache.watch(IngressClass);
  const work = createWorkQueue({ clock, work: ({ key }) => sync(key) });
  const enqueue = (object: Ingress) => work.add(getObjectKey(object));
  all.addEventHandler(({ new: current }) => {
    if (current !== undefined) enqueue(current);
  });
  classes.addEventHandler(() => {
    if (all.isSynced) for (const ingress of all.list()) enqueue(ingress);
  });

  const sync = async (key: string): Promise<undefined> => {
    const { namespace, name } = splitObjectKey(key);
    const ingress = all.get({ name, namespace });
    const isServed = classes.get({ name: ingress?.spec.ingressClassName ?? "" })?.spec.controller === CONTROLLER;
    if (ingress === undefined || !isServed || ingress.status.loadBalancer?.ingress?.length) return;
    try {
      await client.status.patch(
        Ingress,
        ingress.metadata,
        { merge: { status: { loadBalancer: { ingress: [{ ip: ADDRESS }] } } } },
        FIELD_MANAGER,
      );
    } catch (error) {
      if (!(error instanceof NotFound)) throw error;
    }
  };
  return createQueueComponent("ingress-status-controller", work, [all, classes]);
}
