import { extendObject, isJsonObject, type Json, type JsonObject } from "../../json/index.ts";
import type { Condition, KindInfo } from "../../kinds/index.ts";
import { isJsonEqual, isSatisfiedBy } from "../../merge/index.ts";
import type { Controller } from "../declare/controller.ts";
import type { AnyDesiredState, ConditionValue } from "../declare/desired-state.ts";
import { buildCondition, declaredConditions } from "./conditions.ts";
import type { LiveJsonObject } from "./decide.ts";
import { failingController, reportsFailure } from "./failure-status.ts";

/**
 * Builds the whole status to apply; `undefined` if `want` has neither status nor conditions.
 *
 * ## Guarantees
 *
 * - `lastTransitionTime` changes only with the condition's status. `observedGeneration` is set for resources of `defineResource`.
 * - A declared condition that `want` leaves out keeps its value. Conditions of other types and other writers are not touched.
 * - Conditions in which the library reported a failure of this controller are removed, unless `want` has a value for them.
 */
export function buildStatus(
  { kind, name: controller }: Pick<Controller, "kind" | "name">,
  want: AnyDesiredState,
  live: LiveJsonObject,
  now: string,
  conflict?: ConditionValue | undefined,
): JsonObject | undefined {
  const declared = declaredConditions(kind);
  const reported = declared === undefined || declared.length === 0 ? undefined : conflict;
  const clearsFailure = declared !== undefined && declared.length > 0 && reportsFailure(live, controller);
  if (want.status === undefined && want.conditions === undefined && !clearsFailure && reported === undefined) return undefined;
  const before = live["status"] as JsonObject | undefined;
  const old = (before?.["conditions"] ?? []) as unknown as readonly Condition[];
  const own = (want.conditions ?? {}) as Readonly<Record<string, ConditionValue | undefined>>;
  const desired = reported === undefined ? own : { ...own, Conflict: reported };
  const types = [...new Set([...(declared ?? []), ...(declared === undefined || reported !== undefined ? Object.keys(desired) : [])])];
  const generation = live.metadata.generation ?? 0;
  const conditions = types.flatMap((type): JsonObject[] => {
    const previous = old.find((each) => each.type === type);
    const failing = previous && failingController(previous);
    if (failing !== undefined && failing !== controller && declared?.includes(type) === false) return [];
    // The failure of another controller stays until that controller succeeds.
    const value = failing === undefined || failing === controller ? desired[type] : undefined;
    if (value === undefined) return previous === undefined || failing === controller ? [] : [previous as unknown as JsonObject];
    return [buildCondition(type, value, previous, now, declared === undefined ? undefined : generation)];
  });
  const { conditions: _, observedGeneration: __, ...rest } = before ?? {};
  // The rest of the status of a built-in or third-party kind belongs to other writers: sending it again would undo their changes.
  if (isConditionsOnly(kind, want)) return { conditions: [...conditions, ...otherConditions(kind, old, types)] };
  const fields = (want.status as JsonObject | undefined) ?? (rest as JsonObject);
  // Only resources of `defineResource` are known to have observedGeneration and conditions.
  const observed = declared === undefined || declared.length === 0 ? {} : { observedGeneration: generation };
  const listed = declared === undefined && Object.keys(desired).length === 0 ? {} : { conditions };
  return extendObject(extendObject(fields, observed), declared?.length === 0 ? {} : listed);
}

/** Whether only conditions of a built-in or third-party kind are written: with a field manager of their own, so that the rest of the status is kept. */
export function isConditionsOnly(kind: KindInfo, want: AnyDesiredState): boolean {
  return declaredConditions(kind) === undefined && want.status === undefined;
}

/** Conditions of other writers, to be sent along where the list is not known to merge by type. */
function otherConditions(kind: KindInfo, old: readonly Condition[], types: readonly string[]): JsonObject[] {
  if (kind.shape?.fields?.["status"]?.fields?.["conditions"]?.list === "map") return [];
  return old.filter(({ type }) => !types.includes(type)) as unknown as JsonObject[];
}

/** Returns whether the live status already is the desired one. Conditions of other writers are not compared. */
export function isStatusSettled(
  { kind, name: controller }: Pick<Controller, "kind" | "name">,
  desired: JsonObject,
  live: LiveJsonObject,
): boolean {
  const declared = declaredConditions(kind);
  const { conditions, ...rest } = (live["status"] ?? {}) as JsonObject;
  // The API server normalises the status of built-in kinds, for example times; custom resources are stored as sent.
  if (declared === undefined) return isSatisfiedBy(desired, fillEmptyValues(live["status"] ?? {}, desired), kind.shape?.fields?.["status"]);
  if (declared.length === 0) return isJsonEqual(desired, live["status"] ?? {});
  const theirs = (conditions ?? []) as unknown as readonly Condition[];
  const undeclaredFailures = theirs.filter((each) => !declared.includes(each.type) && failingController(each) === controller);
  const ours = [
    ...declared.flatMap((type) => theirs.filter((each) => each.type === type)),
    ...undeclaredFailures,
  ] as unknown as JsonObject[];
  return isJsonEqual(desired, extendObject(rest, { conditions: ours }));
}

/** Returns whether the live status has every field of the desired one; it may have others. */
export function isStatusStored({ kind }: Pick<Controller, "kind">, desired: JsonObject, live: LiveJsonObject): boolean {
  return isSatisfiedBy(desired, live["status"] ?? {}, kind.shape?.fields?.["status"]);
}

/** Builds the status that changes nothing but the condition `Conflict`; `undefined` for a kind without declared conditions. */
export function buildKeptStatus(
  controller: Pick<Controller, "kind" | "name">,
  live: LiveJsonObject,
  now: string,
  conflict: ConditionValue | undefined,
): JsonObject | undefined {
  if ((declaredConditions(controller.kind) ?? []).length === 0) return undefined;
  const { conditions: _, observedGeneration, ...fields } = (live["status"] ?? {}) as JsonObject;
  const status = buildStatus(controller, { status: fields }, live, now, conflict);
  return (
    status &&
    (observedGeneration === undefined ? { ...fields, conditions: status["conditions"] } : extendObject(status, { observedGeneration }))
  );
}

/** Returns the object without the condition `Conflict` of a controller. */
export function withoutConflict({ name }: Pick<Controller, "name">, live: LiveJsonObject): LiveJsonObject {
  const status = (live["status"] ?? {}) as JsonObject;
  const conditions = ((status["conditions"] ?? []) as unknown as readonly Condition[]).filter(
    (each) => each.type !== "Conflict" || failingController(each) !== name,
  );
  return extendObject(live, { status: extendObject(status, { conditions: conditions as unknown as Json }) }) as unknown as LiveJsonObject;
}

/** Formats a time as the API server does: RFC 3339 without fractions. */
export function formatRfc3339(now: number): string {
  return `${new Date(now).toISOString().slice(0, -5)}Z`;
}

/**
 * Adds the empty values of the desired status to the live one: the API server omits `0`, `""`, `false`, `[]` and `{}` from the status of built-in
 * kinds, so an absent field satisfies them.
 */
function fillEmptyValues(live: Json | undefined, desired: Json | undefined): Json | undefined {
  if (live === undefined || live === null) return isEmpty(desired) ? desired : live;
  if (isJsonObject(live) && isJsonObject(desired)) {
    const filled: { [key: string]: Json | undefined } = { ...(live as JsonObject) };
    for (const [key, value] of Object.entries(desired)) {
      const filledValue = fillEmptyValues(filled[key], value);
      if (filledValue !== undefined) filled[key] = filledValue;
    }
    return filled as JsonObject;
  }
  if (Array.isArray(live) && Array.isArray(desired))
    return live.map((item, i) => fillEmptyValues(item, findCounterpart(item, desired, i)) ?? null);
  return live;
}

/** Returns the desired item for a live one: by `type`, the key of conditions, else by position. */
function findCounterpart(item: Json, desired: readonly Json[], at: number): Json | undefined {
  const type = isJsonObject(item) ? item["type"] : undefined;
  return type === undefined ? desired[at] : desired.find((other) => isJsonObject(other) && other["type"] === type);
}

function isEmpty(value: Json | undefined): boolean {
  if (Array.isArray(value)) return value.length === 0;
  if (isJsonObject(value)) return Object.values(value).every(isEmpty);
  return value === "" || value === 0 || value === false || value === null;
}
