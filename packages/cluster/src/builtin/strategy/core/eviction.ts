import type { JsonObject } from "pintle/kinds";
import type { Pod } from "pintle/kinds/core/v1";
import { formatTimestamp, getMetadata } from "../../../api/index.ts";
import { badRequest, conflict } from "../../../status/index.ts";
import type { ObjectStore } from "../../../store/index.ts";
import type { Unvalidated } from "../../draft.ts";
import { getStoragePrefix } from "../../kind-attributes.ts";
import type { SubresourceAction } from "../kind-strategy.ts";
import { SUCCESS_STATUS, setCondition } from "./binding.ts";
import { chargeDisruptionBudget } from "./disruption-budget.ts";

const EVICTION_CONDITION = { type: "DisruptionTarget", status: "True", reason: "EvictionByEvictionAPI", message: "Eviction API: evicting" };

interface EvictionDeleteOptions {
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  readonly dryRun?: readonly string[];
}

/**
 * Creates the eviction action: deletes a pod if its disruption budget allows it, after setting the DisruptionTarget
 * condition. Budgets are read from the store.
 */
export function createEvictionAction(store: ObjectStore): SubresourceAction {
  return async ({ namespace, name, body, dryRun: isDryRun, context, updateObject, deleteObject }) => {
    if (getMetadata(body).name !== name) throw badRequest("name in URL does not match name in Eviction object");
    const options = (body["deleteOptions"] ?? {}) as EvictionDeleteOptions;
    const dryRun = isDryRun || !!options.dryRun?.length;
    const live = (await store.get(`${getStoragePrefix("", "pods")}/${namespace}/${name}`))?.value as Unvalidated<Pod> | undefined;
    if (live !== undefined && isSubjectToBudget(live)) await chargeDisruptionBudget(store, live, context, dryRun);
    if (dryRun) return deletePod(deleteObject, options);
    const updated = await updateObject((pod) => {
      checkPreconditions(pod as unknown as Pod, options);
      return setCondition(pod as unknown as Pod, EVICTION_CONDITION, formatTimestamp(context.now)) as unknown as JsonObject;
    });
    const { preconditions } = options;
    if (preconditions?.resourceVersion === undefined) return deletePod(deleteObject, options);
    return deletePod(deleteObject, {
      ...options,
      preconditions: { ...preconditions, resourceVersion: getMetadata(updated).resourceVersion! },
    });
  };
}

async function deletePod(remove: (options: JsonObject) => Promise<void>, options: EvictionDeleteOptions) {
  await remove(options as JsonObject);
  return SUCCESS_STATUS;
}

/** Returns whether evicting the pod is a disruption: not if it is pending, finished or terminating. */
function isSubjectToBudget({ metadata, status }: Unvalidated<Pod>): boolean {
  return metadata?.deletionTimestamp == null && !["Succeeded", "Failed", "Pending"].includes(status?.phase ?? "");
}

function checkPreconditions({ metadata }: Pod, { preconditions: { uid, resourceVersion } = {} }: EvictionDeleteOptions): void {
  const createConflict = (what: string, expected: string, actual: string | undefined, why: string) =>
    conflict(
      { group: "", resource: "Pod" },
      metadata.name!,
      `the ${what} in the precondition (${expected}) does not match the ${what} in record (${actual}). The object might have been ${why}`,
    );
  if (uid && uid !== metadata.uid) throw createConflict("UID", uid, metadata.uid, "deleted and then recreated");
  if (resourceVersion && resourceVersion !== metadata.resourceVersion) {
    throw createConflict("ResourceVersion", resourceVersion, metadata.resourceVersion, "modified");
  }
}
