import type { Ingress, IngressClass } from "pintle/kinds/networking/v1";
import type { AdmissionPlugin } from "../../api/index.ts";
import type { ObjectStore } from "../../store/index.ts";
import { createResourcePlugin, findNewestDefault, listStored } from "./resource-plugin.ts";

const NETWORKING_GROUP = "networking.k8s.io";
const IS_DEFAULT_ANNOTATION = "ingressclass.kubernetes.io/is-default-class";

/** Sets the default ingress class on ingresses without a class. */
export function createDefaultIngressClassPlugin(store: ObjectStore): AdmissionPlugin {
  return createResourcePlugin<Ingress>("DefaultIngressClass", {
    group: NETWORKING_GROUP,
    plural: "ingresses",
    operations: ["CREATE"],
    async mutate(draft) {
      if (draft.spec?.ingressClassName != null || draft.metadata?.annotations?.["kubernetes.io/ingress.class"] !== undefined) return;
      const name = findNewestDefault(await listStored<IngressClass>(store, NETWORKING_GROUP, "ingressclasses"), IS_DEFAULT_ANNOTATION);
      if (name === undefined) return;
      draft.spec ??= {};
      draft.spec.ingressClassName = name;
    },
  });
}
