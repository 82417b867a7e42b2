import { isJsonEqual } from "pintle/internal/merge";
import type { JsonObject } from "pintle/kinds";
import type { AdmissionPlugin, AdmissionRequest, Authorizer } from "../api/index.ts";
import { forbidden } from "../status/index.ts";

const GROUP = "certificates.k8s.io";
const REQUESTS = "certificatesigningrequests";

/**
 * Admission plugin for CertificateSigningRequests: approval requires the verb `approve` on the signer, issuing requires `sign`, in
 * addition to write access to the request.
 */
export function createCertificateSigningPlugin(authorizer: Authorizer): AdmissionPlugin {
  const isAllowed = ({ user }: AdmissionRequest, verb: string, name: string): boolean => {
    const info = { type: "resource", verb, group: GROUP, resource: "signers", subresource: "", namespace: "", name } as const;
    return authorizer.authorize({ user, info }).allowed;
  };
  const check = async (request: AdmissionRequest, object: JsonObject, live: JsonObject): Promise<void> => {
    const verb = getRequiredVerb(request, object, live);
    if (verb === undefined) return;
    const { signerName } = live["spec"] as { readonly signerName: string };
    const domain = `${signerName.split("/")[0]}/*`;
    if (isAllowed(request, verb, signerName) || isAllowed(request, verb, domain)) return;
    const reason = `user not permitted to ${verb} requests with signerName "${signerName}"`;
    throw forbidden({ group: GROUP, resource: REQUESTS }, request.name, reason);
  };
  return {
    name: "CertificateApprovalAndSigning",
    validate(request) {
      const { resource, object, live } = request;
      const concerns = resource.group === GROUP && resource.plural === REQUESTS;
      return concerns && object !== undefined && live !== undefined ? check(request, object, live) : undefined;
    },
  };
}

function getRequiredVerb({ subresource }: AdmissionRequest, object: JsonObject, live: JsonObject): "approve" | "sign" | undefined {
  if (subresource === "approval") return "approve";
  const getSignedFields = ({ status }: JsonObject) => {
    const { certificate, conditions } = (status ?? {}) as JsonObject;
    return [certificate ?? null, conditions ?? null];
  };
  return subresource === "status" && !isJsonEqual(getSignedFields(object), getSignedFields(live)) ? "sign" : undefined;
}
