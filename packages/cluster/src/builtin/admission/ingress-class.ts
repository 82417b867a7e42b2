import type { Ingress, IngressClass } from "pintle/kinds/networking/v1";
import type { AdmissionPlugin } from "../../api/index.ts";
import type { Store } from "../../store/index.ts";
import { newestDefault, pluginFor, stored } from "./plugin.ts";

const GROUP = "networking.k8s.io";
const IS_DEFAULT = "ingressclass.kubernetes.io/is-default-class";

/** An ingress that names no class gets the default one, if there is one. */
export function defaultIngressClass(store: Store): AdmissionPlugin {
  return pluginFor<Ingress>("DefaultIngressClass", {
    group: GROUP,
    plural: "ingresses",
    on: ["CREATE"],
    async change(draft) {
      if (draft.spec?.ingressClassName != null || draft.metadata?.annotations?.["kubernetes.io/ingress.class"] !== undefined) return;
      const name = newestDefault(await stored<IngressClass>(store, GROUP, "ingressclasses"), IS_DEFAULT);
      if (name === undefined) return;
      draft.spec ??= {};
      draft.spec.ingressClassName = name;
    },
  });
}
