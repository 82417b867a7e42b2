import { type Condition, extended, type JsonObject, type KindFacts } from "../kinds/index.ts";
import { covers, equal } from "../merge/index.ts";
import type { Live } from "./decide.ts";
import type { AnyWant, ConditionValue } from "./want.ts";
import { withEmpties } from "./with-empties.ts";

/**
 * The whole status to apply, or undefined when none was mentioned. Declared conditions that were not returned keep
 * their last value; transition times move only with the status they are of.
 */
export function statusOf(kind: KindFacts, want: AnyWant, live: Live, now: string): JsonObject | undefined {
  if (want.status === undefined && want.conditions === undefined) return undefined;
  const declared = conditionsOf(kind);
  const before = live["status"] as JsonObject | undefined;
  const old = (before?.["conditions"] ?? []) as unknown as readonly Condition[];
  const given = (want.conditions ?? {}) as Readonly<Record<string, ConditionValue | undefined>>;
  const types = declared ?? Object.keys(given);
  const generation = live.metadata.generation ?? 0;
  const conditions = types.flatMap((type): JsonObject[] => {
    const was = old.find((each) => each.type === type);
    const is = given[type];
    if (is === undefined) return was === undefined ? [] : [was as unknown as JsonObject];
    const status = is.status === true ? "True" : is.status === false ? "False" : "Unknown";
    const lastTransitionTime = was?.status === status ? was.lastTransitionTime : now;
    const observed = declared === undefined ? {} : { observedGeneration: generation };
    return [{ type, status, reason: is.reason, message: is.message ?? "", lastTransitionTime, ...observed }];
  });
  const { conditions: _, observedGeneration: __, ...kept } = before ?? {};
  // Of a kind of other people's the rest of the status is theirs: to send it again would be to undo what they do meanwhile.
  if (isConditionsOnly(kind, want)) return { conditions: [...conditions, ...inOneList(kind, old, types)] };
  const own = (want.status as JsonObject | undefined) ?? (kept as JsonObject);
  // Only our own resources are known to have the two.
  const observed = declared === undefined || declared.length === 0 ? {} : { observedGeneration: generation };
  const listed = declared === undefined && Object.keys(given).length === 0 ? {} : { conditions };
  return extended(extended(own, observed), declared?.length === 0 ? {} : listed);
}

/** Conditions alone of a kind that other people define: written apart, so that a status written before is kept. */
export function isConditionsOnly(kind: KindFacts, want: AnyWant): boolean {
  return conditionsOf(kind) === undefined && want.status === undefined;
}

/** Conditions of others that would go if they were not sent along, because the list is not known to merge by type. */
function inOneList(kind: KindFacts, old: readonly Condition[], types: readonly string[]): JsonObject[] {
  if (kind.shape?.fields?.["status"]?.fields?.["conditions"]?.list === "map") return [];
  return old.filter(({ type }) => !types.includes(type)) as unknown as JsonObject[];
}

/** Is there nothing to write? Other people's conditions are not ours to compare. */
export function statusSettled(kind: KindFacts, wanted: JsonObject, live: Live): boolean {
  const declared = conditionsOf(kind);
  const { conditions, ...rest } = (live["status"] ?? {}) as JsonObject;
  // A server rewrites the status of its own kinds, for example times; custom resources are kept word for word.
  if (declared === undefined) return covers(wanted, withEmpties(live["status"] ?? {}, wanted), kind.shape?.fields?.["status"]);
  if (declared.length === 0) return equal(wanted, live["status"] ?? {});
  const theirs = (conditions ?? []) as unknown as readonly Condition[];
  const ours = declared.flatMap((type) => theirs.filter((each) => each.type === type)) as unknown as JsonObject[];
  return equal(wanted, extended(rest, { conditions: ours }));
}

/** The condition types of our own resources; undefined for kinds that other people define. */
function conditionsOf(kind: KindFacts): readonly string[] | undefined {
  return (kind as { readonly conditions?: readonly string[] }).conditions;
}

/** As the server writes times. */
export function rfc3339(now: number): string {
  return `${new Date(now).toISOString().slice(0, -5)}Z`;
}
