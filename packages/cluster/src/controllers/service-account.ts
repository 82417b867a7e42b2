import { AlreadyExists, Forbidden, NotFound } from "pintle/client";
import { Namespace, ServiceAccount } from "pintle/kinds/core/v1";
import { type ControllerContext, type ControlPlaneComponent, createQueueComponent } from "./component.ts";
import { FIELD_MANAGER } from "./field-manager.ts";

const DEFAULT_NAME = "default";

/** Starts the controller that creates the `default` ServiceAccount in every namespace, also after it was deleted. */
export function startServiceAccountController({ client, cache, clock, createWorkQueue }: ControllerContext): ControlPlaneComponent {
  const namespaces = cache.watch(Namespace);
  const accounts = cache.watch(ServiceAccount);
  const work = createWorkQueue({ clock, concurrency: 4, work: ({ key }) => sync(key) });
  namespaces.addEventHandler(({ new: current }) => current && work.add(current.metadata.name));
  accounts.addEventHandler(({ new: current, old }) => {
    if (current === undefined && old !== undefined) work.add(old.metadata.namespace);
  });

  const sync = async (namespace: string): Promise<undefined> => {
    if (namespaces.get({ name: namespace })?.status.phase !== "Active") return;
    if (accounts.get({ name: DEFAULT_NAME, namespace }) !== undefined) return;
    try {
      await client.create(ServiceAccount, { metadata: { name: DEFAULT_NAME, namespace } }, FIELD_MANAGER);
    } catch (error) {
      // It already exists, or the namespace is terminating; its event enqueues the key again.
      if (!(error instanceof AlreadyExists) && !(error instanceof NotFound) && !(error instanceof Forbidden)) throw error;
    }
  };
  return createQueueComponent("serviceaccount-controller", work, [namespaces, accounts]);
}
