/**
 * The NodeRestriction plugin: limits the objects that a kubelet may write to those of its own node. Takes requests of
 * nodes; throws `Forbidden` if the request is not allowed.
 */

import { isJsonEqual } from "pintle/internal/merge";
import type { JsonObject } from "pintle/kinds";
import type { Pod } from "pintle/kinds/core/v1";
import { type AdmissionPlugin, type AdmissionRequest, findNodeName } from "../../../api/index.ts";
import { notFound } from "../../../status/index.ts";
import type { Unvalidated } from "../../draft.ts";
import { createForbiddenError, getStored } from "../resource-plugin.ts";
import { admitMirrorPod } from "./mirror-pod.ts";
import { getRequestName, type NodeRestrictionCheck, type NodeRestrictionDeps } from "./node-check.ts";
import { admitOwnNode } from "./own-node.ts";
import { admitTokenRequest } from "./pod-token.ts";

const NODE_LEASE_NAMESPACE = "kube-node-lease";

const CHECKS: Readonly<Record<string, NodeRestrictionCheck>> = {
  "/pods": admitPod,
  "/nodes": admitOwnNode,
  "/persistentvolumeclaims": admitClaimStatus,
  "/serviceaccounts": admitTokenRequest,
  "coordination.k8s.io/leases": admitLease,
  "storage.k8s.io/csinodes": admitCsiNode,
  "resource.k8s.io/resourceslices": admitResourceSlice,
};

export function createNodeRestrictionPlugin(deps: NodeRestrictionDeps): AdmissionPlugin {
  return {
    name: "NodeRestriction",
    admit(request) {
      const { user, resource } = request;
      const node = findNodeName(user);
      return node === undefined ? undefined : runCheck(node, request, CHECKS[`${resource.group}/${resource.plural}`]);
    },
  };

  async function runCheck(node: string, request: AdmissionRequest, rule: NodeRestrictionCheck | undefined): Promise<undefined> {
    if (node === "") throw createForbiddenError(request, `could not determine node from user "${request.user.name}"`);
    await rule?.(node, request, deps);
  }
}

async function admitPod(node: string, request: AdmissionRequest, around: NodeRestrictionDeps): Promise<void> {
  const { operation, subresource } = request;
  if (subresource === "status") return admitPodStatus(node, request);
  if (subresource === "eviction") return requirePodOnNode(node, request, around, "pod", `node ${node} can only evict pods`);
  if (subresource !== "") {
    throw createForbiddenError(request, `unexpected pod subresource "${subresource}", only 'status' and 'eviction' are allowed`);
  }
  if (operation === "CREATE") return admitMirrorPod(node, request, around);
  if (operation === "DELETE") return requirePodOnNode(node, request, around, "pods", `node "${node}" can only delete pods`);
  throw createForbiddenError(request, `unexpected operation "${operation}", node "${node}" can only create and delete mirror pods`);
}

async function requirePodOnNode(
  node: string,
  request: AdmissionRequest,
  { store }: NodeRestrictionDeps,
  what: string,
  only: string,
): Promise<void> {
  const name = getRequestName(request);
  const pod = await getStored<Pod>(store, "", "pods", `${request.namespace}/${name}`);
  if (pod === undefined) throw notFound({ group: "", resource: what }, name);
  if (pod.spec?.nodeName !== node) throw createForbiddenError(request, `${only} with spec.nodeName set to itself`);
}

function admitPodStatus(node: string, request: AdmissionRequest): void {
  const { operation } = request;
  if (operation !== "UPDATE") throw createForbiddenError(request, `unexpected operation "${operation}"`);
  const [is, was] = [request.object, request.live] as [Unvalidated<Pod>, Unvalidated<Pod>];
  if (was.spec?.nodeName !== node) {
    throw createForbiddenError(request, `node "${node}" can only update pod status for pods with spec.nodeName set to itself`);
  }
  const isChanged = (part: (pod: Unvalidated<Pod>) => unknown) => JSON.stringify(part(is) ?? null) !== JSON.stringify(part(was) ?? null);
  if (isChanged(({ metadata }) => sortEntries(metadata?.labels)))
    throw createForbiddenError(request, `node "${node}" cannot update labels through pod status`);
  if (isChanged(({ status }) => status?.resourceClaimStatuses)) {
    throw createForbiddenError(request, `node "${node}" cannot update resource claim statuses`);
  }
}

const sortEntries = (map: Readonly<Record<string, unknown>> | null | undefined) =>
  Object.entries(map ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));

function admitLease(node: string, request: AdmissionRequest): void {
  if (request.namespace !== NODE_LEASE_NAMESPACE)
    throw createForbiddenError(request, `can only access leases in the "${NODE_LEASE_NAMESPACE}" system namespace`);
  if (getRequestName(request) !== node)
    throw createForbiddenError(request, "can only access node lease with the same name as the requesting node");
}

function admitCsiNode(node: string, request: AdmissionRequest): void {
  if (getRequestName(request) !== node)
    throw createForbiddenError(request, "can only access CSINode with the same name as the requesting node");
}

const VERBS: Readonly<Record<string, string>> = { CREATE: "create", UPDATE: "update", DELETE: "delete" };

function admitResourceSlice(node: string, request: AdmissionRequest): void {
  const verb = VERBS[request.operation];
  const { spec } = (request.live ?? request.object ?? {}) as { readonly spec?: { readonly nodeName?: string } };
  if (spec?.nodeName !== node)
    throw createForbiddenError(request, `can only ${verb} ResourceSlice with the same NodeName as the requesting node`);
}

/** Status fields that the kubelet sets when it expands a volume. */
const KUBELET_STATUS_FIELDS = ["capacity", "conditions", "allocatedResources", "allocatedResourceStatuses", "modifyVolumeStatus"];

/** Allows nodes to update only the fields of a claim's status that report volume expansion. */
function admitClaimStatus(node: string, request: AdmissionRequest): void {
  const { operation, subresource, object, live } = request;
  if (subresource !== "status") throw createForbiddenError(request, "may only update PVC status");
  if (operation !== "UPDATE") throw createForbiddenError(request, `unexpected operation "${operation}"`);
  const [is, was] = [removeKubeletFields(object!), removeKubeletFields(live!)];
  const others = [...new Set([...Object.keys(is), ...Object.keys(was)])].filter((part) => !isJsonEqual(is[part], was[part]));
  if (others.length === 0) return;
  const only = "is not allowed to update fields other than status.quantity and status.conditions";
  throw createForbiddenError(request, `node "${node}" ${only}: ${others.sort().join(", ")}`);
}

function removeKubeletFields(claim: JsonObject): JsonObject {
  const { managedFields: _managed, ...metadata } = (claim["metadata"] ?? {}) as JsonObject;
  const status = Object.entries((claim["status"] ?? {}) as JsonObject).filter(([field]) => !KUBELET_STATUS_FIELDS.includes(field));
  return { ...claim, metadata, status: Object.fromEntries(status) };
}
