import type { JsonObject } from "pintle/kinds";
import { equal } from "pintle/merge";
import type { AdmissionRequest } from "../../../api/index.ts";
import { refusal } from "../plugin.ts";

/** What a kubelet finds out when it grows a volume. */
const FOUND = ["capacity", "conditions", "allocatedResources", "allocatedResourceStatuses", "modifyVolumeStatus"];

/** Of claims a node says how large their volumes have become, and nothing else. */
export function claimStatus(node: string, request: AdmissionRequest): void {
  const { operation, subresource, object, live } = request;
  if (subresource !== "status") throw refusal(request, "may only update PVC status");
  if (operation !== "UPDATE") throw refusal(request, `unexpected operation "${operation}"`);
  const [is, was] = [rest(object!), rest(live!)];
  const others = [...new Set([...Object.keys(is), ...Object.keys(was)])].filter((part) => !equal(is[part], was[part]));
  if (others.length === 0) return;
  const only = "is not allowed to update fields other than status.quantity and status.conditions";
  throw refusal(request, `node "${node}" ${only}: ${others.sort().join(", ")}`);
}

function rest(claim: JsonObject): JsonObject {
  const { managedFields: _managed, ...metadata } = (claim["metadata"] ?? {}) as JsonObject;
  const status = Object.entries((claim["status"] ?? {}) as JsonObject).filter(([field]) => !FOUND.includes(field));
  return { ...claim, metadata, status: Object.fromEntries(status) };
}
