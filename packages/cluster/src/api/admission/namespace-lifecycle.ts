import { isJsonObject } from "pintle/internal/json";
import { ApiError, forbidden, notFound } from "../../status/index.ts";
import type { ObjectStore } from "../../store/index.ts";
import { getMetadata } from "../metadata/object-meta.ts";
import type { ServedResource } from "../registry/served-resource.ts";
import type { AdmissionPlugin } from "./admission-chain.ts";

const PROTECTED_NAMESPACES = new Set(["default", "kube-system", "kube-public"]);
const NAMESPACES = { group: "", resource: "namespaces" };

/** Refuses writes to namespaces that do not exist, creates in terminating ones, and the deletion of protected namespaces. */
export function createNamespaceLifecycle(store: ObjectStore): AdmissionPlugin {
  return {
    name: "NamespaceLifecycle",
    async admit({ operation, resource, namespace, name, object }) {
      if (resource.group === "" && resource.kind === "Namespace") {
        if (operation === "DELETE" && PROTECTED_NAMESPACES.has(name))
          throw forbidden(NAMESPACES, name, "this namespace may not be deleted");
        return undefined;
      }
      if (namespace === "" || operation === "DELETE" || operation === "CONNECT" || isLocalAccessReview(resource)) return undefined;
      const entry = await store.get(`/registry/namespaces/${namespace}`);
      if (entry === undefined) throw notFound(NAMESPACES, namespace);
      const { status } = entry.value;
      if (operation !== "CREATE" || !isJsonObject(status) || status["phase"] !== "Terminating") return undefined;
      const metadata = object === undefined ? {} : getMetadata(object);
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

/** A local access review does not reveal whether its namespace exists. */
function isLocalAccessReview({ group, plural }: ServedResource): boolean {
  return group === "authorization.k8s.io" && plural === "localsubjectaccessreviews";
}
