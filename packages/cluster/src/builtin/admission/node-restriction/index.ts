/** NodeRestriction: what a kubelet may write beyond what its roles say. Comes in: requests of nodes. Goes out: a refusal, or nothing. */
import type { Pod } from "pintle/kinds/core/v1";
import type { AdmissionPlugin, AdmissionRequest } from "../../../api/index.ts";
import { notFound } from "../../../status/index.ts";
import type { Loose } from "../../draft.ts";
import { refusal, storedOne } from "../plugin.ts";
import { claimStatus } from "./claim-status.ts";
import { mirrorPod } from "./mirror-pod.ts";
import { type Around, type NodeRule, nameOf } from "./node-rule.ts";
import { ownNode } from "./own-node.ts";
import { podToken } from "./pod-token.ts";

const PREFIX = "system:node:";
const GROUP = "system:nodes";
const LEASES = "kube-node-lease";

const RULES: Readonly<Record<string, NodeRule>> = {
  "/pods": pods,
  "/nodes": ownNode,
  "/persistentvolumeclaims": claimStatus,
  "/serviceaccounts": podToken,
  "coordination.k8s.io/leases": leases,
  "storage.k8s.io/csinodes": csiNodes,
  "resource.k8s.io/resourceslices": slices,
};

export function nodeRestriction(around: Around): AdmissionPlugin {
  return {
    name: "NodeRestriction",
    admit(request) {
      const { user, resource } = request;
      if (!user.name.startsWith(PREFIX) || !user.groups.includes(GROUP)) return undefined;
      return judged(request, RULES[`${resource.group}/${resource.plural}`]);
    },
  };

  async function judged(request: AdmissionRequest, rule: NodeRule | undefined): Promise<undefined> {
    const node = request.user.name.slice(PREFIX.length);
    if (node === "") throw refusal(request, `could not determine node from user "${request.user.name}"`);
    await rule?.(node, request, around);
  }
}

async function pods(node: string, request: AdmissionRequest, around: Around): Promise<void> {
  const { operation, subresource } = request;
  if (subresource === "status") return podStatus(node, request);
  if (subresource === "eviction") return isOn(node, request, around, "pod", `node ${node} can only evict pods`);
  if (subresource !== "") {
    throw refusal(request, `unexpected pod subresource "${subresource}", only 'status' and 'eviction' are allowed`);
  }
  if (operation === "CREATE") return mirrorPod(node, request, around);
  if (operation === "DELETE") return isOn(node, request, around, "pods", `node "${node}" can only delete pods`);
  throw refusal(request, `unexpected operation "${operation}", node "${node}" can only create and delete mirror pods`);
}

async function isOn(node: string, request: AdmissionRequest, { store }: Around, what: string, only: string): Promise<void> {
  const name = nameOf(request);
  const pod = await storedOne<Pod>(store, "", "pods", `${request.namespace}/${name}`);
  if (pod === undefined) throw notFound({ group: "", resource: what }, name);
  if (pod.spec?.nodeName !== node) throw refusal(request, `${only} with spec.nodeName set to itself`);
}

function podStatus(node: string, request: AdmissionRequest): void {
  const { operation } = request;
  if (operation !== "UPDATE") throw refusal(request, `unexpected operation "${operation}"`);
  const [is, was] = [request.object, request.live] as [Loose<Pod>, Loose<Pod>];
  if (was.spec?.nodeName !== node) {
    throw refusal(request, `node "${node}" can only update pod status for pods with spec.nodeName set to itself`);
  }
  const differs = (part: (pod: Loose<Pod>) => unknown) => JSON.stringify(part(is) ?? null) !== JSON.stringify(part(was) ?? null);
  if (differs(({ metadata }) => sorted(metadata?.labels))) throw refusal(request, `node "${node}" cannot update labels through pod status`);
  if (differs(({ status }) => status?.resourceClaimStatuses)) {
    throw refusal(request, `node "${node}" cannot update resource claim statuses`);
  }
}

const sorted = (map: Readonly<Record<string, unknown>> | null | undefined) =>
  Object.entries(map ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));

function leases(node: string, request: AdmissionRequest): void {
  if (request.namespace !== LEASES) throw refusal(request, `can only access leases in the "${LEASES}" system namespace`);
  if (nameOf(request) !== node) throw refusal(request, "can only access node lease with the same name as the requesting node");
}

function csiNodes(node: string, request: AdmissionRequest): void {
  if (nameOf(request) !== node) throw refusal(request, "can only access CSINode with the same name as the requesting node");
}

const VERBS: Readonly<Record<string, string>> = { CREATE: "create", UPDATE: "update", DELETE: "delete" };

function slices(node: string, request: AdmissionRequest): void {
  const verb = VERBS[request.operation];
  const { spec } = (request.live ?? request.object ?? {}) as { readonly spec?: { readonly nodeName?: string } };
  if (spec?.nodeName !== node) throw refusal(request, `can only ${verb} ResourceSlice with the same NodeName as the requesting node`);
}
