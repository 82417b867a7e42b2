import { isJsonEqual } from "pintle/internal/merge";
import type { JsonObject } from "pintle/kinds";
import { equalExcept } from "../metadata/equal-except.ts";
import { copyField, getMetadata, type ObjectMeta, omitField, withMetadata } from "../metadata/object-meta.ts";
import { formatTimestamp } from "../metadata/timestamp.ts";
import type { ObjectSubresource, ResourceStrategy, ServedResource, StrategyContext, UpdateStrategy } from "../registry/served-resource.ts";

export function findObjectSubresource({ subresources }: ServedResource, name: string): ObjectSubresource | undefined {
  return subresources.find((each): each is ObjectSubresource => each.type === "part" && each.name === name);
}

/** Sets what the server decides about a new object. */
export function prepareForCreate(resource: ServedResource, object: JsonObject, uid: string, context: StrategyContext): JsonObject {
  const { strategy } = resource;
  const keeps = findObjectSubresource(resource, "status") === undefined || strategy.allowStatusOnCreate === true;
  // The strategy needs the uid: a job selects its pods by its own.
  const born = withMetadata(keeps ? object : omitField(object, "status"), { uid, creationTimestamp: formatTimestamp(context.now) });
  const prepared = strategy.prepareForCreate?.(born, context) ?? born;
  return withMetadata(prepared, { generation: strategy.generation === "none" ? undefined : 1 });
}

/** Restores what an update may not change, and increases the generation. */
export function prepareForUpdate(resource: ServedResource, next: JsonObject, live: JsonObject, context: StrategyContext): JsonObject {
  const { strategy } = resource;
  const was = getMetadata(live);
  const guarded = withMetadata(next, selectProtectedMetadata(getMetadata(next), was));
  const withLiveStatus = findObjectSubresource(resource, "status") === undefined ? guarded : copyField(guarded, "status", live);
  const prepared = strategy.prepareForUpdate?.(withLiveStatus, live, context) ?? withLiveStatus;
  if (strategy.generation === "none" || !bumpsGeneration(strategy.generation, prepared, live)) return prepared;
  return withMetadata(prepared, { generation: (was.generation ?? 0) + 1 });
}

/** As `prepareForUpdate`, through a subresource. */
export function prepareForSubresourceUpdate(
  { name, strategy }: ObjectSubresource,
  next: JsonObject,
  live: JsonObject,
  context: StrategyContext,
): JsonObject {
  const guarded = withMetadata(next, selectProtectedMetadata(getMetadata(next), getMetadata(live)));
  if (strategy.prepareForUpdate !== undefined) return strategy.prepareForUpdate(guarded, live, context);
  const { managedFields } = getMetadata(guarded);
  return withMetadata(copyField(live, name, guarded), { managedFields });
}

function selectProtectedMetadata(next: ObjectMeta, was: ObjectMeta): Partial<ObjectMeta> {
  return {
    generation: was.generation,
    uid: next.uid ?? was.uid,
    creationTimestamp: was.creationTimestamp ?? next.creationTimestamp,
    deletionTimestamp: was.deletionTimestamp ?? next.deletionTimestamp,
    deletionGracePeriodSeconds: next.deletionGracePeriodSeconds ?? was.deletionGracePeriodSeconds,
  };
}

function bumpsGeneration(rule: Exclude<ResourceStrategy["generation"], "none">, next: JsonObject, live: JsonObject): boolean {
  if (typeof rule === "function") return rule(next, live);
  return rule === "spec" ? !isJsonEqual(next["spec"], live["spec"]) : !equalExcept(next, live, ["metadata"]);
}

/** Returns the strategy of the endpoint: the object's, or the subresource's. */
export function getUpdateStrategy(resource: ServedResource, subresource: string): UpdateStrategy {
  return subresource === "" ? resource.strategy : (findObjectSubresource(resource, subresource)?.strategy ?? resource.strategy);
}
