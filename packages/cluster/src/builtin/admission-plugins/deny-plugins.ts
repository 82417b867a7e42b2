/** Admission plugins that only refuse, by the request and what is stored. */
import type { CertificateSigningRequest } from "pintle/kinds/certificates/v1";
import type { Namespace, Node, Pod } from "pintle/kinds/core/v1";
import { type AdmissionPlugin, getMetadata } from "../../api/index.ts";
import { ApiError, notFound } from "../../status/index.ts";
import type { ObjectStore } from "../../store/index.ts";
import { isCertificateRequestError, parseRequestField } from "../certificate-request.ts";
import type { Unvalidated } from "../draft.ts";
import { sumPodResources } from "../pod-resources.ts";
import { nanos } from "../quantities.ts";
import { createForbiddenError, createResourcePlugin, getStored } from "./resource-plugin.ts";

/** Refuses everything. Deprecated in Kubernetes. */
export const alwaysDeny: AdmissionPlugin = {
  name: "AlwaysDeny",
  admit: (request) => Promise.reject(createForbiddenError(request, "admission control is denying all modifications")),
  validate: (request) => Promise.reject(createForbiddenError(request, "admission control is denying all modifications")),
};

/** Refuses writes in namespaces that do not exist, also deletions. */
export function createNamespaceExistsPlugin(store: ObjectStore): AdmissionPlugin {
  const check = async (namespace: string) => {
    if ((await getStored<Namespace>(store, "", "namespaces", namespace)) === undefined) {
      throw notFound({ group: "", resource: "namespaces" }, namespace);
    }
  };
  return {
    name: "NamespaceExists",
    validate: ({ operation, kind, namespace }) =>
      namespace === "" || operation === "CONNECT" || (kind.group === "" && kind.kind === "Namespace") ? undefined : check(namespace),
  };
}

const CLIENT_SIGNER = "kubernetes.io/kube-apiserver-client";

/** Refuses requests for client certificates of the group system:masters, which would be administrators. */
export const certificateSubjectRestriction = createResourcePlugin<CertificateSigningRequest>("CertificateSubjectRestriction", {
  group: "certificates.k8s.io",
  plural: "certificatesigningrequests",
  operations: ["CREATE"],
  validate({ spec }, request) {
    if (spec?.signerName !== CLIENT_SIGNER) return;
    if (parseOrganizations(spec.request ?? "", request).includes("system:masters")) {
      throw createForbiddenError(request, `use of ${CLIENT_SIGNER} signer with system:masters group is not allowed`);
    }
  },
});

function parseOrganizations(text: string, request: Parameters<typeof createForbiddenError>[0]): readonly string[] {
  try {
    return parseRequestField(text).subject.organizations ?? [];
  } catch (error) {
    if (isCertificateRequestError(error)) throw createForbiddenError(request, `failed to parse CSR: ${error.message}`);
    throw error;
  }
}

/** Refuses to resize a pod beyond what its node can allocate. */
export function createPodResizeValidator(store: ObjectStore): AdmissionPlugin {
  return {
    name: "PodResizeValidator",
    validate(request) {
      const { resource, subresource, operation, object, live } = request;
      const isResize = resource.group === "" && resource.plural === "pods" && subresource === "resize" && operation === "UPDATE";
      if (!isResize || object === undefined || live === undefined) return undefined;
      if (getMetadata(object).generation === getMetadata(live).generation) return undefined;
      return checkResize(store, object as Unvalidated<Pod>, request);
    },
  };
}

const OS_LABEL = "kubernetes.io/os";

async function checkResize(store: ObjectStore, pod: Unvalidated<Pod>, request: Parameters<typeof createForbiddenError>[0]): Promise<void> {
  const nodeName = pod.spec?.nodeName;
  if (!nodeName) return;
  const refuse = (why: string, cause?: string) => {
    const error = createForbiddenError(request, why);
    return cause === undefined
      ? error
      : new ApiError(error.code, error.reason, error.message, { ...error.details, causes: [{ reason: cause }] });
  };
  const node = await getStored<Node>(store, "", "nodes", nodeName);
  if (node === undefined) throw refuse(`node "${nodeName}" not found`);
  const system = node.metadata?.labels?.[OS_LABEL] ?? "linux";
  if (system !== "linux") {
    throw refuse(`pod resize is only supported on linux nodes, node "${nodeName}" is "${system}"`, "UnsupportedPlatform");
  }
  const requests = sumPodResources(pod, "requests");
  const allocatable = (node.status?.allocatable ?? {}) as Readonly<Record<string, string>>;
  const problems = (["cpu", "memory"] as const).flatMap((name) => {
    const [requested, available] = [nanos(requests[name] ?? "0"), nanos(allocatable[name] ?? "0")];
    const unit = name === "cpu" ? 1_000_000n : 1_000_000_000n;
    const format = (value: bigint) => String((value + unit - 1n) / unit);
    return requested > available ? [`${name}, requested: ${format(requested)}, allocatable: ${format(available)}`] : [];
  });
  if (problems.length > 0) throw refuse(`node didn't have enough allocatable resources: ${problems.join("; ")}`, "NodeCapacity");
}
