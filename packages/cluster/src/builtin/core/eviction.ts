import type { JsonObject } from "pintle/kinds";
import type { Pod } from "pintle/kinds/core/v1";
import { metadataOf, timestamp } from "../../api/index.ts";
import { badRequest, conflict } from "../../status/index.ts";
import type { Store } from "../../store/index.ts";
import type { Loose } from "../draft.ts";
import { storagePrefix } from "../facts.ts";
import type { Action } from "../rules.ts";
import { spendDisruption } from "./disruption.ts";
import { SUCCESS, withCondition } from "./pod-actions.ts";

const EVICTED = { type: "DisruptionTarget", status: "True", reason: "EvictionByEvictionAPI", message: "Eviction API: evicting" };

interface DeleteOptions {
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  readonly dryRun?: readonly string[];
}

/** Deletes the pod if its disruption budget allows, after a word about why; budgets are looked up in the store. */
export function evictionWith(store: Store): Action {
  return async ({ namespace, name, body, dryRun: asked, context, change, remove }) => {
    if (metadataOf(body).name !== name) throw badRequest("name in URL does not match name in Eviction object");
    const options = (body["deleteOptions"] ?? {}) as DeleteOptions;
    const dryRun = asked || !!options.dryRun?.length;
    const live = (await store.get(`${storagePrefix("", "pods")}/${namespace}/${name}`))?.value as Loose<Pod> | undefined;
    if (live !== undefined && isProtected(live)) await spendDisruption(store, live, context.now, dryRun);
    if (dryRun) return removed(remove, options);
    const told = await change((pod) => {
      checkPreconditions(pod as unknown as Pod, options);
      return withCondition(pod as unknown as Pod, EVICTED, timestamp(context.now)) as unknown as JsonObject;
    });
    const { preconditions } = options;
    if (preconditions?.resourceVersion === undefined) return removed(remove, options);
    return removed(remove, { ...options, preconditions: { ...preconditions, resourceVersion: metadataOf(told).resourceVersion! } });
  };
}

async function removed(remove: (options: JsonObject) => Promise<void>, options: DeleteOptions) {
  await remove(options as JsonObject);
  return SUCCESS;
}

/** Whoever has not begun, is done, or is going already disrupts nobody. */
function isProtected({ metadata, status }: Loose<Pod>): boolean {
  return metadata?.deletionTimestamp == null && !["Succeeded", "Failed", "Pending"].includes(status?.phase ?? "");
}

function checkPreconditions({ metadata }: Pod, { preconditions: { uid, resourceVersion } = {} }: DeleteOptions): void {
  const refuse = (what: string, asked: string, is: string | undefined, why: string) =>
    conflict(
      { group: "", resource: "Pod" },
      metadata.name!,
      `the ${what} in the precondition (${asked}) does not match the ${what} in record (${is}). The object might have been ${why}`,
    );
  if (uid && uid !== metadata.uid) throw refuse("UID", uid, metadata.uid, "deleted and then recreated");
  if (resourceVersion && resourceVersion !== metadata.resourceVersion) {
    throw refuse("ResourceVersion", resourceVersion, metadata.resourceVersion, "modified");
  }
}
