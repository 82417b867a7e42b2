import { isObject } from "pintle/kinds";
import { ApiError, forbidden, notFound } from "../status/index.ts";
import type { Store } from "../store/index.ts";
import type { AdmissionPlugin } from "./admission.ts";
import { metadataOf } from "./metadata/metadata.ts";
import type { ServedResource } from "./resource.ts";

const IMMORTAL = new Set(["default", "kube-system", "kube-public"]);
const NAMESPACES = { group: "", resource: "namespaces" };

/** Nothing lives in a namespace that does not exist, nothing new in one that is going, and some never go. */
export function namespaceLifecycle(store: Store): AdmissionPlugin {
  return {
    name: "NamespaceLifecycle",
    async admit({ operation, resource, namespace, name, object }) {
      if (resource.group === "" && resource.kind === "Namespace") {
        if (operation === "DELETE" && IMMORTAL.has(name)) throw forbidden(NAMESPACES, name, "this namespace may not be deleted");
        return undefined;
      }
      if (namespace === "" || operation === "DELETE" || operation === "CONNECT" || isAccessReview(resource)) return undefined;
      const entry = await store.get(`/registry/namespaces/${namespace}`);
      if (entry === undefined) throw notFound(NAMESPACES, namespace);
      const { status } = entry.value;
      if (operation !== "CREATE" || !isObject(status) || status["phase"] !== "Terminating") return undefined;
      const metadata = object === undefined ? {} : metadataOf(object);
      const refusal = forbidden(
        { group: resource.group, resource: resource.plural },
        name || metadata.name || metadata.generateName || "",
        `unable to create new content in namespace ${namespace} because it is being terminated`,
      );
      throw new ApiError(refusal.code, refusal.reason, refusal.message, {
        ...refusal.details,
        causes: [{ reason: "NamespaceTerminating", message: `namespace ${namespace} is being terminated`, field: "metadata.namespace" }],
      });
    },
  };
}

/** Who asks what somebody may do in a namespace is not told whether there is one. */
function isAccessReview({ group, plural }: ServedResource): boolean {
  return group === "authorization.k8s.io" && plural === "localsubjectaccessreviews";
}
