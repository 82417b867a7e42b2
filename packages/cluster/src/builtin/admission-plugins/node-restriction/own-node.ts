import { isJsonEqual } from "pintle/internal/merge";
import type { Node } from "pintle/kinds/core/v1";
import { type AdmissionRequest, getMetadata } from "../../../api/index.ts";
import type { Unvalidated } from "../../draft.ts";
import { createForbiddenError } from "../resource-plugin.ts";
import { getRequestName } from "./node-check.ts";

/** Labels in the kubernetes.io namespaces that kubelets may set. */
const KUBELET_LABELS = new Set(
  `kubernetes.io/hostname kubernetes.io/os kubernetes.io/arch beta.kubernetes.io/os beta.kubernetes.io/arch
   node.kubernetes.io/instance-type beta.kubernetes.io/instance-type topology.kubernetes.io/zone topology.kubernetes.io/region
   failure-domain.beta.kubernetes.io/zone failure-domain.beta.kubernetes.io/region`.split(/\s+/),
);

/** Allows a node to write its own Node object only, without changes to taints, owner references and restricted labels. */
export function admitOwnNode(node: string, request: AdmissionRequest): void {
  const name = getRequestName(request);
  const { object, live } = request;
  if (name !== node) throw createForbiddenError(request, `node "${node}" is not allowed to modify node "${name}"`);
  if (object === undefined) return;
  const changed = findForbiddenLabels(getLabels(object), getLabels(live)).join(", ");
  if (live === undefined) {
    if (changed !== "") throw createForbiddenError(request, `node "${node}" is not allowed to set the following labels: ${changed}`);
    return;
  }
  if (!isJsonEqual(getTaints(object), getTaints(live)))
    throw createForbiddenError(request, `node "${node}" is not allowed to modify taints`);
  if (changed !== "") throw createForbiddenError(request, `is not allowed to modify labels: ${changed}`);
  const owners = [object, live].map((each) => getMetadata(each).ownerReferences ?? []);
  if (!isJsonEqual(owners[0] as never, owners[1] as never))
    throw createForbiddenError(request, `node "${node}" is not allowed to modify ownerReferences`);
}

type Labels = Readonly<Record<string, string>>;
const getLabels = (object: AdmissionRequest["object"]): Labels => (object === undefined ? {} : (getMetadata(object).labels ?? {}));
const getTaints = (object: AdmissionRequest["object"]) => ((object as Unvalidated<Node>).spec?.taints ?? []) as never;

/** Returns the restricted labels that were set, changed or removed. */
function findForbiddenLabels(is: Labels, was: Labels): readonly string[] {
  const touched = [...new Set([...Object.keys(is), ...Object.keys(was)])].filter((key) => is[key] !== was[key]);
  return touched.filter(isForbiddenLabel).sort();
}

function isForbiddenLabel(label: string): boolean {
  const domain = label.includes("/") ? label.slice(0, label.indexOf("/")) : "";
  const isWithin = (...parents: readonly string[]) => parents.some((each) => domain === each || domain.endsWith(`.${each}`));
  if (isWithin("node-restriction.kubernetes.io")) return true;
  return isWithin("kubernetes.io", "k8s.io") && !KUBELET_LABELS.has(label) && !isWithin("kubelet.kubernetes.io", "node.kubernetes.io");
}
