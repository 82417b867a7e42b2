import type { JsonObject } from "pintle/kinds";

/** A condition of a CustomResourceDefinition. */
export interface CrdCondition {
  readonly type: string;
  readonly status: "True" | "False" | "Unknown";
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime?: string | undefined;
}

export function conditionsOf(crd: JsonObject): readonly CrdCondition[] {
  return (((crd["status"] as JsonObject | undefined)?.["conditions"] as readonly unknown[] | undefined) ?? []) as readonly CrdCondition[];
}

export function condition(crd: JsonObject, type: string): CrdCondition | undefined {
  return conditionsOf(crd).find((each) => each.type === type);
}

export function isTrue(crd: JsonObject, type: string): boolean {
  return condition(crd, type)?.status === "True";
}

/** The CRD with the condition set; its time moves only when its status does. */
export function withCondition(crd: JsonObject, next: CrdCondition, now: string): JsonObject {
  const before = condition(crd, next.type);
  const lastTransitionTime = before?.status === next.status ? before.lastTransitionTime : now;
  const timed = { ...next, lastTransitionTime } as unknown as JsonObject;
  const conditions =
    before === undefined ? [...conditionsOf(crd), timed] : conditionsOf(crd).map((each) => (each === before ? timed : each));
  return withStatus(crd, { conditions: conditions as readonly JsonObject[] });
}

export function withStatus(crd: JsonObject, change: JsonObject): JsonObject {
  return { ...crd, status: { ...(crd["status"] as JsonObject | undefined), ...change } };
}
