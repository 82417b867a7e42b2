import { NotFound } from "pintle/client";
import { Ingress, IngressClass } from "pintle/kinds/networking/v1";
import { queue } from "pintle/queue";
import { MANAGED } from "../managed.ts";
import { type Part, type Plant, queued } from "../part.ts";

/** `spec.controller` of the IngressClasses whose Ingresses get an address here. */
const CONTROLLER = "pintle.dev/ingress";
const ADDRESS = "198.51.100.255";

/** Gives Ingresses of our own class an address, as an ingress controller would. Those of other classes wait for theirs. */
export function ingresses({ client, cache, clock }: Plant): Part {
  const all = cache.watch(Ingress);
  const classes = cache.watch(IngressClass);
  const work = queue({ clock, work: ({ key }) => attend(key) });
  const wake = ({ metadata }: Ingress) => work.add(`${metadata.namespace}/${metadata.name}`);
  all.on(({ new: seen }) => {
    if (seen !== undefined) wake(seen);
  });
  classes.on(() => {
    if (all.isSynced) for (const ingress of all.list()) wake(ingress);
  });

  const attend = async (key: string): Promise<undefined> => {
    const [namespace = "", name = ""] = key.split("/");
    const ingress = all.get({ name, namespace });
    const ours = classes.get({ name: ingress?.spec.ingressClassName ?? "" })?.spec.controller === CONTROLLER;
    if (ingress === undefined || !ours || ingress.status.loadBalancer?.ingress?.length) return;
    try {
      await client.status.patch(
        Ingress,
        ingress.metadata,
        { merge: { status: { loadBalancer: { ingress: [{ ip: ADDRESS }] } } } },
        MANAGED,
      );
    } catch (error) {
      if (!(error instanceof NotFound)) throw error;
    }
  };
  return queued("ingress-status-controller", work, [all, classes]);
}
