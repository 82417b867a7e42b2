import type { Namespace } from "pintle/kinds/core/v1";
import type { AdmissionPlugin } from "../../api/index.ts";
import type { ObjectStore } from "../../store/index.ts";
import { createForbiddenError, getStored } from "./resource-plugin.ts";

/** Creates the namespace of a create request; resolves with the error message if that failed. */
export type CreateNamespace = (name: string) => Promise<string | undefined>;

/** Creates missing namespaces of new objects. */
export function createNamespaceAutoProvisionPlugin(store: ObjectStore, createNamespace: CreateNamespace): AdmissionPlugin {
  return {
    name: "NamespaceAutoProvision",
    async admit(request) {
      const { operation, namespace, kind, dryRun } = request;
      if (operation !== "CREATE" || namespace === "" || dryRun || (kind.group === "" && kind.kind === "Namespace")) return undefined;
      if ((await getStored<Namespace>(store, "", "namespaces", namespace)) !== undefined) return undefined;
      const problem = await createNamespace(namespace);
      if (problem !== undefined) throw createForbiddenError(request, problem);
      return undefined;
    },
  };
}
