import { Conflict, NotFound } from "pintle/client";
import { SubjectAccessReview } from "pintle/kinds/authorization/v1";
import { CertificateSigningRequest } from "pintle/kinds/certificates/v1";
import { isCertificateRequestError, parseRequestField } from "../../builtin/index.ts";
import { type ControllerContext, type ControlPlaneComponent, createQueueComponent } from "../component.ts";
import { FIELD_MANAGER } from "../field-manager.ts";
import { findKubeletClientProblem, hasCondition, SIGNERS } from "./request-rules.ts";

const PERMISSIONS = {
  selfnodeclient: "Auto approving self kubelet client certificate after SubjectAccessReview.",
  nodeclient: "Auto approving kubelet client certificate after SubjectAccessReview.",
} as const;
type NodePermission = keyof typeof PERMISSIONS;

/** Starts the controller that approves client certificates of kubelets, if their user may request them. */
export function startCertificateApprovingController({ client, cache, clock, createWorkQueue }: ControllerContext): ControlPlaneComponent {
  const requests = cache.watch(CertificateSigningRequest);
  const work = createWorkQueue({ clock, concurrency: 2, work: ({ key }) => sync(key) });
  requests.addEventHandler(({ new: current }) => {
    if (current !== undefined && isPending(current)) work.add(current.metadata.name);
  });

  const sync = async (name: string): Promise<undefined> => {
    const request = requests.get({ name });
    if (request === undefined || !isPending(request)) return undefined;
    for (const permission of listPermissions(request)) {
      if (!(await isAllowed(request, permission))) continue;
      await approve(request, PERMISSIONS[permission]);
      return undefined;
    }
    return undefined;
  };
  const isAllowed = async ({ spec }: CertificateSigningRequest, subresource: NodePermission): Promise<boolean> => {
    const resource = { group: "certificates.k8s.io", version: "*", resource: "certificatesigningrequests", subresource, verb: "create" };
    const { status } = await client.create(SubjectAccessReview, {
      metadata: {},
      spec: { user: spec.username, uid: spec.uid, groups: spec.groups, extra: spec.extra, resourceAttributes: resource },
    } as never);
    return status?.allowed === true;
  };
  const approve = async (request: CertificateSigningRequest, message: string) => {
    const condition = { type: "Approved", status: "True", reason: "AutoApproved", message };
    const conditions = [...(request.status.conditions ?? []), condition];
    const approved = { ...request, status: { ...request.status, conditions } };
    try {
      await client
        .subresource("approval")
        .replace(CertificateSigningRequest, { name: request.metadata.name }, approved as never, FIELD_MANAGER);
    } catch (error) {
      // The watch delivers the newer object.
      if (!(error instanceof Conflict) && !(error instanceof NotFound)) throw error;
    }
  };
  return createQueueComponent("certificatesigningrequest-approving-controller", work, [requests]);
}

function isPending(request: CertificateSigningRequest): boolean {
  return request.status.certificate === undefined && !hasCondition(request, "Approved") && !hasCondition(request, "Denied");
}

/** Lists the rights of which one suffices for the request; none for a request that is not a kubelet's. */
function listPermissions(object: CertificateSigningRequest): readonly NodePermission[] {
  const { signerName, usages = [], username } = object.spec;
  if (signerName !== SIGNERS.kubeletClient) return [];
  try {
    const request = parseRequestField(object.spec.request);
    if (findKubeletClientProblem(request, usages) !== undefined) return [];
    return username === request.subject.commonName ? ["selfnodeclient", "nodeclient"] : ["nodeclient"];
  } catch (error) {
    if (isCertificateRequestError(error)) return [];
    throw error;
  }
}
