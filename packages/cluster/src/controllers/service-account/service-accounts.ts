import { AlreadyExists, Forbidden, NotFound } from "pintle/client";
import { Namespace, ServiceAccount } from "pintle/kinds/core/v1";
import { queue } from "pintle/queue";
import { MANAGED } from "../managed.ts";
import { type Part, type Plant, queued } from "../part.ts";

const DEFAULT = "default";

/** Gives every namespace its `default` ServiceAccount, and again when it is deleted. */
export function serviceAccounts({ client, cache, clock }: Plant): Part {
  const namespaces = cache.watch(Namespace);
  const accounts = cache.watch(ServiceAccount);
  const work = queue({ clock, concurrency: 4, work: ({ key }) => attend(key) });
  namespaces.on(({ new: seen }) => seen && work.add(seen.metadata.name));
  accounts.on(({ new: seen, old }) => {
    if (seen === undefined && old !== undefined) work.add(old.metadata.namespace);
  });

  const attend = async (namespace: string): Promise<undefined> => {
    if (namespaces.get({ name: namespace })?.status.phase !== "Active") return;
    if (accounts.get({ name: DEFAULT, namespace }) !== undefined) return;
    try {
      await client.create(ServiceAccount, { metadata: { name: DEFAULT, namespace } }, MANAGED);
    } catch (error) {
      // Somebody was quicker, or the namespace began to go: its own event brings us back.
      if (!(error instanceof AlreadyExists) && !(error instanceof NotFound) && !(error instanceof Forbidden)) throw error;
    }
  };
  return queued("serviceaccount-controller", work, [namespaces, accounts]);
}
