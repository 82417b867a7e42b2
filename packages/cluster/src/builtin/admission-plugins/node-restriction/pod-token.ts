import type { TokenRequest } from "pintle/kinds/authentication/v1";
import type { Pod } from "pintle/kinds/core/v1";
import type { AdmissionRequest } from "../../../api/index.ts";
import { notFound } from "../../../status/index.ts";
import type { Unvalidated } from "../../draft.ts";
import { createForbiddenError, getStored } from "../resource-plugin.ts";
import type { NodeRestrictionDeps } from "./node-check.ts";

const AUDIENCE_VERB = "request-serviceaccounts-token-audience";

/**
 * Allows a node to request tokens only for pods it runs, and for audiences that their volumes name or that it is
 * authorized for.
 */
export async function admitTokenRequest(
  node: string,
  request: AdmissionRequest,
  { store, authorizer }: NodeRestrictionDeps,
): Promise<void> {
  const { operation, subresource, namespace, user } = request;
  if (operation !== "CREATE" || subresource !== "token") return;
  const { spec } = request.object as Unvalidated<TokenRequest>;
  const { apiVersion, kind, name, uid } = spec?.boundObjectRef ?? {};
  if (apiVersion !== "v1" || kind !== "Pod" || !name) throw createForbiddenError(request, "node requested token not bound to a pod");
  if (!uid) throw createForbiddenError(request, "node requested token with a pod binding without a uid");
  const pod = await getStored<Pod>(store, "", "pods", `${namespace}/${name}`);
  if (pod === undefined) throw notFound({ group: "", resource: "pod" }, name);
  if (pod.metadata?.uid !== uid) {
    const why = "does not match the UID in record. The object might have been deleted and then recreated";
    throw createForbiddenError(request, `the UID in the bound object reference (${uid}) ${why}`);
  }
  if (pod.spec?.nodeName !== node) throw createForbiddenError(request, "node requested token bound to a pod scheduled on a different node");
  const [audience = "", ...others] = spec?.audiences ?? [];
  if (others.length > 0) throw createForbiddenError(request, "node may only request 0 or 1 audiences");
  if (hasTokenVolumeFor(pod, audience)) return;
  const info = {
    type: "resource",
    verb: AUDIENCE_VERB,
    group: "",
    resource: audience,
    subresource: "",
    namespace,
    name: request.name,
  } as const;
  const { allowed } = authorizer.authorize({ user, info });
  if (!allowed) throw createForbiddenError(request, `audience "${audience}" not found in pod spec volume`);
}

function hasTokenVolumeFor({ spec }: Unvalidated<Pod>, audience: string): boolean {
  const sources = (spec?.volumes ?? []).flatMap(({ projected }) => projected?.sources ?? []);
  return sources.some(({ serviceAccountToken }) => serviceAccountToken != null && (serviceAccountToken.audience ?? "") === audience);
}
