import type { JsonObject } from "pintle/kinds";
import type { Pod, ResourceQuota } from "pintle/kinds/core/v1";
import type { AdmissionPlugin, AdmissionRequest } from "../../api/index.ts";
import type { ObjectStore, StoreEntry } from "../../store/index.ts";
import type { Unvalidated } from "../draft.ts";
import { getStoragePrefix } from "../kind-attributes.ts";
import { addQuantities, compareQuantities, nanos } from "../quantities.ts";
import { getQuotaUsage, matchesQuotaScopes, type QuotaUsage } from "../quota/index.ts";
import { createForbiddenError } from "./resource-plugin.ts";

/** Rejects objects that exceed a resource quota, and charges the usage of accepted ones. */
export function createResourceQuotaPlugin(store: ObjectStore): AdmissionPlugin {
  return {
    name: "ResourceQuota",
    validate(request) {
      const { operation, subresource, namespace, object, resource } = request;
      if (namespace === "" || subresource !== "" || object === undefined || (operation !== "CREATE" && operation !== "UPDATE"))
        return undefined;
      // Events and resource quotas are not counted.
      if (resource.plural === "events" || (resource.group === "" && resource.plural === "resourcequotas")) return undefined;
      return checkAndChargeQuotas(store, request, object);
    },
  };
}

async function checkAndChargeQuotas(store: ObjectStore, request: AdmissionRequest, object: JsonObject): Promise<void> {
  const { operation, resource, namespace, dryRun, live } = request;
  for (;;) {
    const { entries } = await store.range(`${getStoragePrefix("", "resourcequotas")}/${namespace}/`);
    if (entries.length === 0) return;
    const before = operation === "UPDATE" && live !== undefined ? getQuotaUsage(resource.group, resource.plural, live) : {};
    const more = getUsageIncrease(getQuotaUsage(resource.group, resource.plural, object), before);
    const quotas = entries.filter(({ value }) =>
      matchesQuotaScopes(value as Unvalidated<ResourceQuota>, resource.group, resource.plural, object),
    );
    if (operation === "CREATE" && resource.group === "" && resource.plural === "pods") {
      for (const { value } of quotas) requireComputeResources(request, value as Unvalidated<ResourceQuota>, object as Unvalidated<Pod>);
    }
    const concerned = quotas.filter(({ value }) =>
      Object.keys(getHardLimits(value as Unvalidated<ResourceQuota>)).some((name) => name in more),
    );
    for (const { value } of concerned) checkQuota(request, value as Unvalidated<ResourceQuota>, more);
    if (dryRun || (await chargeQuotas(store, concerned, more, request.recordCommit))) return;
  }
}

/**
 * Returns the enforced limits. They are in the status, so a quota limits nothing until its controller has counted the
 * existing objects.
 */
function getHardLimits({ status }: Unvalidated<ResourceQuota>): Unvalidated<Record<string, string>> {
  return (status?.hard ?? {}) as Unvalidated<Record<string, string>>;
}

/** Returns the usage that exceeds the previous usage. */
function getUsageIncrease(usage: QuotaUsage, before: QuotaUsage): QuotaUsage {
  const grown = Object.entries(usage).filter(([name, value]) => compareQuantities(value, before[name] ?? "0") > 0);
  return Object.fromEntries(
    grown.map(([name, value]) => [name, before[name] === undefined ? value : addQuantities(value, `-${before[name]}`)]),
  );
}

/** Charges all quotas; returns false on a write conflict. The quota controller corrects what was already charged. */
async function chargeQuotas(
  store: ObjectStore,
  quotas: readonly StoreEntry[],
  more: QuotaUsage,
  recordCommit: AdmissionRequest["recordCommit"],
): Promise<boolean> {
  for (const { key, revision, value } of quotas) {
    const result = await store.txn(key, revision, { put: addUsage(value, more) });
    if (!result.ok) return false;
    recordCommit(result);
  }
  return true;
}

const COMPUTE_RESOURCE = /^(cpu|memory|requests\.(cpu|memory)|limits\.(cpu|memory))$/;

/** Requires that every container specifies the compute resources a quota limits. */
function requireComputeResources(request: AdmissionRequest, quota: Unvalidated<ResourceQuota>, pod: Unvalidated<Pod>): void {
  const limitedResources = Object.keys(getHardLimits(quota))
    .filter((name) => COMPUTE_RESOURCE.test(name))
    .sort();
  const missing = limitedResources.flatMap((name) => {
    const [list, resource] = name.startsWith("limits.")
      ? (["limits", name.slice(7)] as const)
      : (["requests", name.replace("requests.", "")] as const);
    if (pod.spec?.resources?.[list]?.[resource] != null) return [];
    const unspecified = [...(pod.spec?.containers ?? []), ...(pod.spec?.initContainers ?? [])].filter(
      ({ resources }) => resources?.[list]?.[resource] == null,
    );
    return unspecified.length === 0 ? [] : [`${name} for: ${unspecified.map((container) => container.name).join(",")}`];
  });
  if (missing.length > 0) throw createForbiddenError(request, `failed quota: ${quota.metadata?.name}: must specify ${missing.join("; ")}`);
}

function checkQuota(request: AdmissionRequest, quota: Unvalidated<ResourceQuota>, more: QuotaUsage): void {
  const { metadata, status } = quota;
  const hard = getHardLimits(quota);
  const used = status?.used ?? {};
  const over = Object.keys(more)
    .filter((name) => hard[name] != null && nanos(used[name] ?? "0") + nanos(more[name]!) > nanos(hard[name]!))
    .sort();
  if (over.length === 0) return;
  const list = (of: (name: string) => string | null | undefined) => over.map((name) => `${name}=${of(name) ?? "0"}`).join(",");
  throw createForbiddenError(
    request,
    `exceeded quota: ${metadata?.name}, requested: ${list((name) => more[name])}, used: ${list((name) => used[name])}, limited: ${list((name) => hard[name])}`,
  );
}

function addUsage(quota: JsonObject, more: QuotaUsage): JsonObject {
  const { status } = quota as Unvalidated<ResourceQuota>;
  const used: Record<string, string> = { ...(status?.used as Record<string, string> | undefined) };
  for (const name of Object.keys(getHardLimits(quota as Unvalidated<ResourceQuota>)))
    if (more[name] !== undefined)
      used[name] = used[name] === undefined || used[name] === "0" ? more[name] : addQuantities(used[name], more[name]);
  return { ...quota, status: { ...status, used } } as unknown as JsonObject;
}
