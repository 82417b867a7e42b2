import { AlreadyExists, Forbidden, NotFound } from "pintle/client";
import { ConfigMap, Namespace } from "pintle/kinds/core/v1";
import { queue } from "pintle/queue";
import { MANAGED } from "../managed.ts";
import { type Part, type Plant, queued } from "../part.ts";

const NAME = "kube-root-ca.crt";
const DESCRIPTION = "kubernetes.io/description";
const TEXT =
  "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.";

/** Publishes the cluster's certificate authority in every namespace, and keeps it as it is. */
export function rootCertificates({ client, cache, clock, authority }: Plant): Part {
  const namespaces = cache.watch(Namespace);
  const maps = cache.watch(ConfigMap, { fields: `metadata.name=${NAME}` });
  const work = queue({ clock, concurrency: 4, work: ({ key }) => attend(key) });
  const data = { "ca.crt": authority };
  namespaces.on(({ new: seen }) => seen && work.add(seen.metadata.name));
  maps.on(({ new: seen, old }) => work.add((seen ?? old)!.metadata.namespace));

  const attend = async (namespace: string): Promise<undefined> => {
    if (namespaces.get({ name: namespace })?.status.phase !== "Active") return;
    const known = maps.get({ name: NAME, namespace });
    try {
      if (known === undefined) {
        await client.create(ConfigMap, { metadata: { name: NAME, namespace, annotations: { [DESCRIPTION]: TEXT } }, data }, MANAGED);
      } else if (
        known.data?.["ca.crt"] !== authority ||
        Object.keys(known.data).length !== 1 ||
        !known.metadata.annotations?.[DESCRIPTION]
      ) {
        const metadata = { ...known.metadata, annotations: { ...known.metadata.annotations, [DESCRIPTION]: TEXT } };
        await client.replace(ConfigMap, { ...known, metadata, data }, MANAGED);
      }
    } catch (error) {
      if (!(error instanceof AlreadyExists) && !(error instanceof NotFound) && !(error instanceof Forbidden)) throw error;
    }
  };
  return queued("root-ca-certificate-publisher-controller", work, [namespaces, maps]);
}
