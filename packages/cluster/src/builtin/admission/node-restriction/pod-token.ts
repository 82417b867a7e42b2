import type { TokenRequest } from "pintle/kinds/authentication/v1";
import type { Pod } from "pintle/kinds/core/v1";
import type { AdmissionRequest } from "../../../api/index.ts";
import { notFound } from "../../../status/index.ts";
import type { Loose } from "../../draft.ts";
import { refusal, storedOne } from "../plugin.ts";
import type { Around } from "./node-rule.ts";

const AUDIENCE_VERB = "request-serviceaccounts-token-audience";

/** A node gets tokens for pods that it runs, for audiences that they name. */
export async function podToken(node: string, request: AdmissionRequest, { store, authorizer }: Around): Promise<void> {
  const { operation, subresource, namespace, user } = request;
  if (operation !== "CREATE" || subresource !== "token") return;
  const { spec } = request.object as Loose<TokenRequest>;
  const { apiVersion, kind, name, uid } = spec?.boundObjectRef ?? {};
  if (apiVersion !== "v1" || kind !== "Pod" || !name) throw refusal(request, "node requested token not bound to a pod");
  if (!uid) throw refusal(request, "node requested token with a pod binding without a uid");
  const pod = await storedOne<Pod>(store, "", "pods", `${namespace}/${name}`);
  if (pod === undefined) throw notFound({ group: "", resource: "pod" }, name);
  if (pod.metadata?.uid !== uid) {
    const why = "does not match the UID in record. The object might have been deleted and then recreated";
    throw refusal(request, `the UID in the bound object reference (${uid}) ${why}`);
  }
  if (pod.spec?.nodeName !== node) throw refusal(request, "node requested token bound to a pod scheduled on a different node");
  const [audience = "", ...others] = spec?.audiences ?? [];
  if (others.length > 0) throw refusal(request, "node may only request 0 or 1 audiences");
  if (isNamedBy(pod, audience)) return;
  const info = {
    type: "resource",
    verb: AUDIENCE_VERB,
    group: "",
    resource: audience,
    subresource: "",
    namespace,
    name: request.name,
  } as const;
  const { allowed } = await authorizer.authorize({ user, info });
  if (!allowed) throw refusal(request, `audience "${audience}" not found in pod spec volume`);
}

function isNamedBy({ spec }: Loose<Pod>, audience: string): boolean {
  const sources = (spec?.volumes ?? []).flatMap(({ projected }) => projected?.sources ?? []);
  return sources.some(({ serviceAccountToken }) => serviceAccountToken != null && (serviceAccountToken.audience ?? "") === audience);
}
