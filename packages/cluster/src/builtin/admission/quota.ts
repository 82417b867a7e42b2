import type { JsonObject } from "pintle/kinds";
import type { Pod, ResourceQuota } from "pintle/kinds/core/v1";
import type { AdmissionPlugin, AdmissionRequest } from "../../api/index.ts";
import type { Entry, Store } from "../../store/index.ts";
import type { Loose } from "../draft.ts";
import { storagePrefix } from "../facts.ts";
import { quotaScope, type Usage, usageOf } from "../quota/index.ts";
import { addQuantities, compareQuantities, nanos } from "../text/quantities.ts";
import { refusal } from "./plugin.ts";

/** Refuses what would take more than a quota has left, and takes the rest from it. */
export function resourceQuota(store: Store): AdmissionPlugin {
  return {
    name: "ResourceQuota",
    validate(request) {
      const { operation, subresource, namespace, object, resource } = request;
      if (namespace === "" || subresource !== "" || object === undefined || (operation !== "CREATE" && operation !== "UPDATE"))
        return undefined;
      // Events are never counted, and nobody is kept from making a quota.
      if (resource.plural === "events" || (resource.group === "" && resource.plural === "resourcequotas")) return undefined;
      return spend(store, request, object);
    },
  };
}

async function spend(store: Store, request: AdmissionRequest, object: JsonObject): Promise<void> {
  const { operation, resource, namespace, dryRun, live } = request;
  for (;;) {
    const { entries } = await store.range(`${storagePrefix("", "resourcequotas")}/${namespace}/`);
    if (entries.length === 0) return;
    const before = operation === "UPDATE" && live !== undefined ? usageOf(resource.group, resource.plural, live) : {};
    const more = increase(usageOf(resource.group, resource.plural, object), before);
    const quotas = entries.filter(({ value }) => quotaScope(value as Loose<ResourceQuota>, resource.group, resource.plural, object));
    if (operation === "CREATE" && resource.group === "" && resource.plural === "pods") {
      for (const { value } of quotas) checkStated(request, value as Loose<ResourceQuota>, object as Loose<Pod>);
    }
    const concerned = quotas.filter(({ value }) => Object.keys(limits(value as Loose<ResourceQuota>)).some((name) => name in more));
    for (const { value } of concerned) check(request, value as Loose<ResourceQuota>, more);
    if (dryRun || (await charge(store, concerned, more))) return;
  }
}

/** A quota holds once its controller has measured what is there already; until then it limits nothing. */
function limits({ status }: Loose<ResourceQuota>): Loose<Record<string, string>> {
  return (status?.hard ?? {}) as Loose<Record<string, string>>;
}

/** What is used more than before. */
function increase(usage: Usage, before: Usage): Usage {
  const grown = Object.entries(usage).filter(([name, value]) => compareQuantities(value, before[name] ?? "0") > 0);
  return Object.fromEntries(
    grown.map(([name, value]) => [name, before[name] === undefined ? value : addQuantities(value, `-${before[name]}`)]),
  );
}

/** False when somebody else was quicker: what was taken from the others is put right by the controller. */
async function charge(store: Store, quotas: readonly Entry[], more: Usage): Promise<boolean> {
  for (const { key, revision, value } of quotas) {
    if (!(await store.txn(key, revision, { put: charged(value, more) })).ok) return false;
  }
  return true;
}

const COMPUTE = /^(cpu|memory|requests\.(cpu|memory)|limits\.(cpu|memory))$/;

/** Where a quota speaks of CPU or memory, every container must. */
function checkStated(request: AdmissionRequest, quota: Loose<ResourceQuota>, pod: Loose<Pod>): void {
  const wanted = Object.keys(limits(quota))
    .filter((name) => COMPUTE.test(name))
    .sort();
  const missing = wanted.flatMap((name) => {
    const [list, resource] = name.startsWith("limits.")
      ? (["limits", name.slice(7)] as const)
      : (["requests", name.replace("requests.", "")] as const);
    if (pod.spec?.resources?.[list]?.[resource] != null) return [];
    const silent = [...(pod.spec?.containers ?? []), ...(pod.spec?.initContainers ?? [])].filter(
      ({ resources }) => resources?.[list]?.[resource] == null,
    );
    return silent.length === 0 ? [] : [`${name} for: ${silent.map((container) => container.name).join(",")}`];
  });
  if (missing.length > 0) throw refusal(request, `failed quota: ${quota.metadata?.name}: must specify ${missing.join("; ")}`);
}

function check(request: AdmissionRequest, quota: Loose<ResourceQuota>, more: Usage): void {
  const { metadata, status } = quota;
  const hard = limits(quota);
  const used = status?.used ?? {};
  const over = Object.keys(more)
    .filter((name) => hard[name] != null && nanos(used[name] ?? "0") + nanos(more[name]!) > nanos(hard[name]!))
    .sort();
  if (over.length === 0) return;
  const list = (of: (name: string) => string | null | undefined) => over.map((name) => `${name}=${of(name) ?? "0"}`).join(",");
  throw refusal(
    request,
    `exceeded quota: ${metadata?.name}, requested: ${list((name) => more[name])}, used: ${list((name) => used[name])}, limited: ${list((name) => hard[name])}`,
  );
}

function charged(quota: JsonObject, more: Usage): JsonObject {
  const { status } = quota as Loose<ResourceQuota>;
  const used: Record<string, string> = { ...(status?.used as Record<string, string> | undefined) };
  for (const name of Object.keys(limits(quota as Loose<ResourceQuota>)))
    if (more[name] !== undefined)
      used[name] = used[name] === undefined || used[name] === "0" ? more[name] : addQuantities(used[name], more[name]);
  return { ...quota, status: { ...status, used } } as unknown as JsonObject;
}
