import { AlreadyExists, Forbidden, NotFound } from "pintle/client";
import { ConfigMap, Namespace } from "pintle/kinds/core/v1";
import { type ControllerContext, type ControlPlaneComponent, createQueueComponent } from "./component.ts";
import { FIELD_MANAGER } from "./field-manager.ts";

const CONFIG_MAP_NAME = "kube-root-ca.crt";
const DESCRIPTION_ANNOTATION = "kubernetes.io/description";
const DESCRIPTION_TEXT =
  "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.";

/** Starts the controller that publishes the certificate authority of the cluster in every namespace. */
export function startRootCaCertificatePublisher({
  client,
  cache,
  clock,
  createWorkQueue,
  authority,
}: ControllerContext): ControlPlaneComponent {
  const namespaces = cache.watch(Namespace);
  const maps = cache.watch(ConfigMap, { fields: `metadata.name=${CONFIG_MAP_NAME}` });
  const work = createWorkQueue({ clock, concurrency: 4, work: ({ key }) => sync(key) });
  const data = { "ca.crt": authority.certificate };
  namespaces.addEventHandler(({ new: current }) => current && work.add(current.metadata.name));
  maps.addEventHandler(({ new: current, old }) => work.add((current ?? old)!.metadata.namespace));

  const sync = async (namespace: string): Promise<undefined> => {
    if (namespaces.get({ name: namespace })?.status.phase !== "Active") return;
    const existing = maps.get({ name: CONFIG_MAP_NAME, namespace });
    try {
      if (existing === undefined) {
        await client.create(
          ConfigMap,
          { metadata: { name: CONFIG_MAP_NAME, namespace, annotations: { [DESCRIPTION_ANNOTATION]: DESCRIPTION_TEXT } }, data },
          FIELD_MANAGER,
        );
      } else if (
        existing.data?.["ca.crt"] !== authority.certificate ||
        Object.keys(existing.data).length !== 1 ||
        !existing.metadata.annotations?.[DESCRIPTION_ANNOTATION]
      ) {
        const metadata = {
          ...existing.metadata,
          annotations: { ...existing.metadata.annotations, [DESCRIPTION_ANNOTATION]: DESCRIPTION_TEXT },
        };
        await client.replace(ConfigMap, { ...existing, metadata, data }, FIELD_MANAGER);
      }
    } catch (error) {
      if (!(error instanceof AlreadyExists) && !(error instanceof NotFound) && !(error instanceof Forbidden)) throw error;
    }
  };
  return createQueueComponent("root-ca-certificate-publisher-controller", work, [namespaces, maps]);
}
