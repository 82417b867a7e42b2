import type { JsonObject } from "pintle/kinds";
import { equal } from "pintle/merge";
import type { AdmissionPlugin, AdmissionRequest, Authorizer } from "../api/index.ts";
import { forbidden } from "../status/index.ts";

const GROUP = "certificates.k8s.io";
const REQUESTS = "certificatesigningrequests";

/** Approving a certificate needs `approve` on its signer, issuing it needs `sign`, whatever may be written to the request. */
export function signers(authorizer: Authorizer): AdmissionPlugin {
  const may = async ({ user }: AdmissionRequest, verb: string, name: string): Promise<boolean> => {
    const info = { type: "resource", verb, group: GROUP, resource: "signers", subresource: "", namespace: "", name } as const;
    return (await authorizer.authorize({ user, info })).allowed;
  };
  const check = async (request: AdmissionRequest, object: JsonObject, live: JsonObject): Promise<void> => {
    const verb = verbOf(request, object, live);
    if (verb === undefined) return;
    const { signerName } = live["spec"] as { readonly signerName: string };
    const domain = `${signerName.split("/")[0]}/*`;
    if ((await may(request, verb, signerName)) || (await may(request, verb, domain))) return;
    const why = `user not permitted to ${verb} requests with signerName "${signerName}"`;
    throw forbidden({ group: GROUP, resource: REQUESTS }, request.name, why);
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

function verbOf({ subresource }: AdmissionRequest, object: JsonObject, live: JsonObject): "approve" | "sign" | undefined {
  if (subresource === "approval") return "approve";
  const issued = ({ status }: JsonObject) => {
    const { certificate, conditions } = (status ?? {}) as JsonObject;
    return [certificate ?? null, conditions ?? null];
  };
  return subresource === "status" && !equal(issued(object), issued(live)) ? "sign" : undefined;
}
