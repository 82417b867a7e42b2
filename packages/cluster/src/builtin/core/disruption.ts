import { labelSelector } from "pintle/cache";
import type { JsonObject } from "pintle/kinds";
import type { Pod } from "pintle/kinds/core/v1";
import type { PodDisruptionBudget } from "pintle/kinds/policy/v1";
import { timestamp } from "../../api/index.ts";
import { ApiError, forbidden } from "../../status/index.ts";
import type { Entry, Store } from "../../store/index.ts";
import type { Loose } from "../draft.ts";
import { storagePrefix } from "../facts.ts";

type Budget = Loose<PodDisruptionBudget>;
type Status = NonNullable<Budget["status"]>;

const VIOLATED = "Cannot evict pod as it would violate the pod's disruption budget.";
const TOO_MANY = "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.";
const MAX_DISRUPTED = 2000;

/** Takes one disruption out of the budget over a running pod, if there is one. Throws when the budget does not allow it. */
export async function spendDisruption(store: Store, pod: Loose<Pod>, now: number, dryRun: boolean): Promise<void> {
  for (;;) {
    const { entries } = await store.range(`${storagePrefix("policy", "poddisruptionbudgets")}/${pod.metadata?.namespace}/`);
    const over = entries.filter(({ value }) => covers(value as Budget, pod));
    if (over.length > 1) throw new ApiError(500, "", TOO_MANY);
    const [entry] = over;
    if (entry === undefined || isFree(entry.value as Budget, pod)) return;
    check(entry.value as Budget);
    if (dryRun || (await spend(store, entry, pod.metadata?.name ?? "", now))) return;
  }
}

function covers({ spec }: Budget, { metadata }: Loose<Pod>): boolean {
  return spec?.selector != null && labelSelector(spec.selector as never).matches((metadata?.labels ?? {}) as Record<string, string>);
}

/** A pod that is not ready anyway counts only as long as too few others are. */
function isFree({ spec, status }: Budget, pod: Loose<Pod>): boolean {
  if (pod.status?.conditions?.some(({ type, status: ready }) => type === "Ready" && ready === "True")) return false;
  const { currentHealthy = 0, desiredHealthy = 0 } = (status ?? {}) as PodDisruptionBudget["status"];
  return spec?.unhealthyPodEvictionPolicy === "AlwaysAllow" || (currentHealthy >= desiredHealthy && desiredHealthy > 0);
}

function check({ metadata, status }: Budget): void {
  const name = metadata?.name ?? "";
  if ((status?.observedGeneration ?? 0) < (metadata?.generation ?? 0)) {
    throw refusal(`The disruption budget ${name} is still being processed by the server.`, 10);
  }
  const never = (why: string) => forbidden({ group: "policy", resource: "poddisruptionbudget" }, name, why);
  if ((status?.disruptionsAllowed ?? 0) < 0) throw never("pdb disruptions allowed is negative");
  if (Object.keys(status?.disruptedPods ?? {}).length > MAX_DISRUPTED) {
    throw never("DisruptedPods map too big - too many evictions not confirmed by PDB controller");
  }
  if (!status?.disruptionsAllowed) throw refusal(`The disruption budget ${name} ${whyNone(status ?? {})}`, 0);
}

function whyNone({ conditions, currentHealthy = 0, desiredHealthy = 0 }: Status): string {
  const said = conditions?.find(({ type, status, message }) => type === "DisruptionAllowed" && status === "False" && !!message);
  if (said?.reason === "SyncFailed") return `does not allow evicting pods currently because it failed sync: ${said.message}`;
  if (currentHealthy! <= desiredHealthy!) return `needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`;
  return `does not allow evicting pods currently${said === undefined ? "" : ` (${said.reason}): ${said.message}`}`;
}

function refusal(message: string, retryAfterSeconds: number): ApiError {
  const later = retryAfterSeconds === 0 ? {} : { retryAfterSeconds };
  return new ApiError(429, "TooManyRequests", VIOLATED, { causes: [{ reason: "DisruptionBudget", message }], ...later });
}

async function spend(store: Store, { key, revision, value }: Entry, pod: string, now: number): Promise<boolean> {
  const status = value["status"] as Status;
  const time = timestamp(now);
  const disruptionsAllowed = (status.disruptionsAllowed ?? 0) - 1;
  const next = {
    ...status,
    disruptionsAllowed,
    disruptedPods: { ...status.disruptedPods, [pod]: time },
    ...(disruptionsAllowed === 0 ? { conditions: exhausted(status, time) } : {}),
  };
  return (await store.txn(key, revision, { put: { ...value, status: next } as unknown as JsonObject })).ok;
}

function exhausted({ conditions, observedGeneration }: Status, lastTransitionTime: string) {
  const made = {
    type: "DisruptionAllowed",
    status: "False",
    observedGeneration,
    lastTransitionTime,
    reason: "InsufficientPods",
    message: "",
  };
  return [...(conditions ?? []).filter(({ type }) => type !== made.type), made];
}
