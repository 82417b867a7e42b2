import type { Node } from "pintle/kinds/core/v1";
import { equal } from "pintle/merge";
import { type AdmissionRequest, metadataOf } from "../../../api/index.ts";
import type { Loose } from "../../draft.ts";
import { refusal } from "../plugin.ts";
import { nameOf } from "./node-rule.ts";

/** What kubelets have always said of their machines. */
const OWN = new Set(
  `kubernetes.io/hostname kubernetes.io/os kubernetes.io/arch beta.kubernetes.io/os beta.kubernetes.io/arch
   node.kubernetes.io/instance-type beta.kubernetes.io/instance-type topology.kubernetes.io/zone topology.kubernetes.io/region
   failure-domain.beta.kubernetes.io/zone failure-domain.beta.kubernetes.io/region`.split(/\s+/),
);

/** A node writes nothing but itself, and of itself neither taints nor owners nor labels by which others decide about it. */
export function ownNode(node: string, request: AdmissionRequest): void {
  const name = nameOf(request);
  const { object, live } = request;
  if (name !== node) throw refusal(request, `node "${node}" is not allowed to modify node "${name}"`);
  if (object === undefined) return;
  const changed = forbiddenLabels(labelsOf(object), labelsOf(live)).join(", ");
  if (live === undefined) {
    if (changed !== "") throw refusal(request, `node "${node}" is not allowed to set the following labels: ${changed}`);
    return;
  }
  if (!equal(taintsOf(object), taintsOf(live))) throw refusal(request, `node "${node}" is not allowed to modify taints`);
  if (changed !== "") throw refusal(request, `is not allowed to modify labels: ${changed}`);
  const owners = [object, live].map((each) => metadataOf(each).ownerReferences ?? []);
  if (!equal(owners[0] as never, owners[1] as never)) throw refusal(request, `node "${node}" is not allowed to modify ownerReferences`);
}

type Labels = Readonly<Record<string, string>>;
const labelsOf = (object: AdmissionRequest["object"]): Labels => (object === undefined ? {} : (metadataOf(object).labels ?? {}));
const taintsOf = (object: AdmissionRequest["object"]) => ((object as Loose<Node>).spec?.taints ?? []) as never;

/** Those that were set, changed or taken away, and are not the node's to decide. */
function forbiddenLabels(is: Labels, was: Labels): readonly string[] {
  const touched = [...new Set([...Object.keys(is), ...Object.keys(was)])].filter((key) => is[key] !== was[key]);
  return touched.filter(isForbidden).sort();
}

function isForbidden(label: string): boolean {
  const domain = label.includes("/") ? label.slice(0, label.indexOf("/")) : "";
  const within = (...parents: readonly string[]) => parents.some((each) => domain === each || domain.endsWith(`.${each}`));
  if (within("node-restriction.kubernetes.io")) return true;
  return within("kubernetes.io", "k8s.io") && !OWN.has(label) && !within("kubelet.kubernetes.io", "node.kubernetes.io");
}
