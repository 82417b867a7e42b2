import { compileLabelSelector } from "pintle/internal/selectors";
import type { JsonObject } from "pintle/kinds";
import type { Pod } from "pintle/kinds/core/v1";
import type { PodDisruptionBudget } from "pintle/kinds/policy/v1";
import { formatTimestamp, type StrategyContext } from "../../../api/index.ts";
import { ApiError, forbidden } from "../../../status/index.ts";
import type { ObjectStore, StoreEntry } from "../../../store/index.ts";
import type { Unvalidated } from "../../draft.ts";
import { getStoragePrefix } from "../../kind-attributes.ts";

type UnvalidatedBudget = Unvalidated<PodDisruptionBudget>;
type BudgetStatus = NonNullable<UnvalidatedBudget["status"]>;

const BUDGET_VIOLATED = "Cannot evict pod as it would violate the pod's disruption budget.";
const SEVERAL_BUDGETS = "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.";
const MAX_DISRUPTED = 2000;

/**
 * Charges one disruption to the disruption budget of a pod, if there is one. Throws `TooManyRequests` if the budget
 * does not allow it.
 */
export async function chargeDisruptionBudget(
  store: ObjectStore,
  pod: Unvalidated<Pod>,
  context: StrategyContext,
  dryRun: boolean,
): Promise<void> {
  for (;;) {
    const { entries } = await store.range(`${getStoragePrefix("policy", "poddisruptionbudgets")}/${pod.metadata?.namespace}/`);
    const over = entries.filter(({ value }) => selectsPod(value as UnvalidatedBudget, pod));
    if (over.length > 1) throw new ApiError(500, "", SEVERAL_BUDGETS);
    const [entry] = over;
    if (entry === undefined || isExemptFromBudget(entry.value as UnvalidatedBudget, pod)) return;
    checkBudget(entry.value as UnvalidatedBudget);
    if (dryRun || (await updateBudget(store, entry, pod.metadata?.name ?? "", context))) return;
  }
}

function selectsPod({ spec }: UnvalidatedBudget, { metadata }: Unvalidated<Pod>): boolean {
  return spec?.selector != null && compileLabelSelector(spec.selector as never).matches((metadata?.labels ?? {}) as Record<string, string>);
}

/** Returns whether an unhealthy pod may be evicted without charging the budget. */
function isExemptFromBudget({ spec, status }: UnvalidatedBudget, pod: Unvalidated<Pod>): boolean {
  if (pod.status?.conditions?.some(({ type, status: ready }) => type === "Ready" && ready === "True")) return false;
  const { currentHealthy = 0, desiredHealthy = 0 } = (status ?? {}) as PodDisruptionBudget["status"];
  return spec?.unhealthyPodEvictionPolicy === "AlwaysAllow" || (currentHealthy >= desiredHealthy && desiredHealthy > 0);
}

function checkBudget({ metadata, status }: UnvalidatedBudget): void {
  const name = metadata?.name ?? "";
  if ((status?.observedGeneration ?? 0) < (metadata?.generation ?? 0)) {
    throw createTooManyRequestsError(`The disruption budget ${name} is still being processed by the server.`, 10);
  }
  const createForbiddenError = (why: string) => forbidden({ group: "policy", resource: "poddisruptionbudget" }, name, why);
  if ((status?.disruptionsAllowed ?? 0) < 0) throw createForbiddenError("pdb disruptions allowed is negative");
  if (Object.keys(status?.disruptedPods ?? {}).length > MAX_DISRUPTED) {
    throw createForbiddenError("DisruptedPods map too big - too many evictions not confirmed by PDB controller");
  }
  if (!status?.disruptionsAllowed)
    throw createTooManyRequestsError(`The disruption budget ${name} ${describeExhaustedBudget(status ?? {})}`, 0);
}

function describeExhaustedBudget({ conditions, currentHealthy = 0, desiredHealthy = 0 }: BudgetStatus): string {
  const condition = conditions?.find(({ type, status, message }) => type === "DisruptionAllowed" && status === "False" && !!message);
  if (condition?.reason === "SyncFailed") return `does not allow evicting pods currently because it failed sync: ${condition.message}`;
  if (currentHealthy! <= desiredHealthy!) return `needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`;
  return `does not allow evicting pods currently${condition === undefined ? "" : ` (${condition.reason}): ${condition.message}`}`;
}

function createTooManyRequestsError(message: string, retryAfterSeconds: number): ApiError {
  const later = retryAfterSeconds === 0 ? {} : { retryAfterSeconds };
  return new ApiError(429, "TooManyRequests", BUDGET_VIOLATED, { causes: [{ reason: "DisruptionBudget", message }], ...later });
}

async function updateBudget(
  store: ObjectStore,
  { key, revision, value }: StoreEntry,
  pod: string,
  { now, recordCommit }: StrategyContext,
): Promise<boolean> {
  const status = value["status"] as BudgetStatus;
  const time = formatTimestamp(now);
  const disruptionsAllowed = (status.disruptionsAllowed ?? 0) - 1;
  const next = {
    ...status,
    disruptionsAllowed,
    disruptedPods: { ...status.disruptedPods, [pod]: time },
    ...(disruptionsAllowed === 0 ? { conditions: createExhaustedConditions(status, time) } : {}),
  };
  const result = await store.txn(key, revision, { put: { ...value, status: next } as unknown as JsonObject });
  if (result.ok) recordCommit(result);
  return result.ok;
}

function createExhaustedConditions({ conditions, observedGeneration }: BudgetStatus, lastTransitionTime: string) {
  const condition = {
    type: "DisruptionAllowed",
    status: "False",
    observedGeneration,
    lastTransitionTime,
    reason: "InsufficientPods",
    message: "",
  };
  return [...(conditions ?? []).filter(({ type }) => type !== condition.type), condition];
}
