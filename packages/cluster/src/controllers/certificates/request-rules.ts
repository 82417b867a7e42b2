import type { CertificateSigningRequest } from "pintle/kinds/certificates/v1";
import type { CertificateRequest } from "pintle/tls";

export const SIGNERS = {
  client: "kubernetes.io/kube-apiserver-client",
  kubeletClient: "kubernetes.io/kube-apiserver-client-kubelet",
  kubeletServing: "kubernetes.io/kubelet-serving",
  legacy: "kubernetes.io/legacy-unknown",
} as const;

export function hasCondition({ status }: CertificateSigningRequest, type: string): boolean {
  return status.conditions?.some((condition) => condition.type === type && condition.status === "True") === true;
}

/** Returns why the signer of a request does not sign it, in the words of kube-controller-manager; undefined if it does. */
export function findSignerProblem(signerName: string, request: CertificateRequest, usages: readonly string[]): string | undefined {
  switch (signerName) {
    case SIGNERS.client:
      return findClientUsageProblem(usages);
    case SIGNERS.kubeletClient:
      return findKubeletClientProblem(request, usages);
    case SIGNERS.kubeletServing:
      return findKubeletServingProblem(request, usages);
    default:
      return undefined;
  }
}

const CLIENT_USAGES = ["client auth", "digital signature", "key encipherment"];
const SERVER_USAGES = ["digital signature", "key encipherment", "server auth"];
const isOptional = (usage: string) => usage === "key encipherment";

function findClientUsageProblem(usages: readonly string[]): string | undefined {
  const other = usages.find((usage) => !CLIENT_USAGES.includes(usage));
  if (other !== undefined) return `invalid usage for client certificate: ${other}`;
  return usages.includes("client auth") ? undefined : "missing required usage for client certificate: client auth";
}

export function findKubeletClientProblem(request: CertificateRequest, usages: readonly string[]): string | undefined {
  if (!isNodeGroup(request)) return "subject organization is not system:nodes";
  if (request.dnsNames.length > 0) return "DNS subjectAltNames are not allowed";
  if (request.emailAddresses.length > 0) return "Email subjectAltNames are not allowed";
  if (request.ipAddresses.length > 0) return "IP subjectAltNames are not allowed";
  if (request.uris.length > 0) return "URI subjectAltNames are not allowed";
  return findNodeNameProblem(request) ?? findUsageProblem(CLIENT_USAGES, usages);
}

function findKubeletServingProblem(request: CertificateRequest, usages: readonly string[]): string | undefined {
  if (!isNodeGroup(request)) return "subject organization is not system:nodes";
  if (request.dnsNames.length === 0 && request.ipAddresses.length === 0) return "DNS or IP subjectAltName is required";
  if (request.emailAddresses.length > 0) return "Email subjectAltNames are not allowed";
  if (request.uris.length > 0) return "URI subjectAltNames are not allowed";
  return findUsageProblem(SERVER_USAGES, usages) ?? findNodeNameProblem(request);
}

function isNodeGroup({ subject: { organizations = [] } }: CertificateRequest): boolean {
  return organizations.length === 1 && organizations[0] === "system:nodes";
}

function findNodeNameProblem({ subject }: CertificateRequest): string | undefined {
  return subject.commonName.startsWith("system:node:") ? undefined : "subject common name does not begin with system:node:";
}

function findUsageProblem(required: readonly string[], usages: readonly string[]): string | undefined {
  const matches =
    usages.every((usage) => required.includes(usage)) && required.every((usage) => isOptional(usage) || usages.includes(usage));
  return matches ? undefined : `usages did not match [${required.join(" ")}]`;
}
