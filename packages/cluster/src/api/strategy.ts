import type { JsonObject } from "pintle/kinds";
import { equal } from "pintle/merge";
import { timestamp } from "./clock.ts";
import { equalExcept } from "./metadata/equal.ts";
import { metadataOf, type ObjectMeta, withFieldOf, withMetadata, without } from "./metadata/metadata.ts";
import type { PartSubresource, ServedResource, Strategy, StrategyContext, UpdateStrategy } from "./resource.ts";

export function part({ subresources }: ServedResource, name: string): PartSubresource | undefined {
  return subresources.find((each): each is PartSubresource => each.type === "part" && each.name === name);
}

/** What the server decides about a new object. */
export function prepareCreate(resource: ServedResource, object: JsonObject, uid: string, context: StrategyContext): JsonObject {
  const { strategy } = resource;
  const keeps = part(resource, "status") === undefined || strategy.statusOnCreate === true;
  // Known to the strategy: a job selects its pods by its own uid.
  const born = withMetadata(keeps ? object : without(object, "status"), { uid, creationTimestamp: timestamp(context.now) });
  const prepared = strategy.prepareCreate?.(born, context) ?? born;
  return withMetadata(prepared, { generation: strategy.generation === "none" ? undefined : 1 });
}

/** What an update may not touch is put back; what the server keeps count of is counted. */
export function prepareUpdate(resource: ServedResource, next: JsonObject, live: JsonObject, context: StrategyContext): JsonObject {
  const { strategy } = resource;
  const was = metadataOf(live);
  const guarded = withMetadata(next, guardedFields(metadataOf(next), was));
  const kept = part(resource, "status") === undefined ? guarded : withFieldOf(guarded, "status", live);
  const prepared = strategy.prepareUpdate?.(kept, live, context) ?? kept;
  if (strategy.generation === "none" || !grows(strategy.generation, prepared, live)) return prepared;
  return withMetadata(prepared, { generation: (was.generation ?? 0) + 1 });
}

/** As `prepareUpdate`, through a subresource that stands for a part of the object. */
export function preparePart({ name, strategy }: PartSubresource, next: JsonObject, live: JsonObject, context: StrategyContext): JsonObject {
  const guarded = withMetadata(next, guardedFields(metadataOf(next), metadataOf(live)));
  if (strategy.prepareUpdate !== undefined) return strategy.prepareUpdate(guarded, live, context);
  const { managedFields } = metadataOf(guarded);
  return withMetadata(withFieldOf(live, name, guarded), { managedFields });
}

function guardedFields(next: ObjectMeta, was: ObjectMeta): Partial<ObjectMeta> {
  return {
    generation: was.generation,
    uid: next.uid ?? was.uid,
    creationTimestamp: was.creationTimestamp ?? next.creationTimestamp,
    deletionTimestamp: was.deletionTimestamp ?? next.deletionTimestamp,
    deletionGracePeriodSeconds: next.deletionGracePeriodSeconds ?? was.deletionGracePeriodSeconds,
  };
}

function grows(rule: Exclude<Strategy["generation"], "none">, next: JsonObject, live: JsonObject): boolean {
  if (typeof rule === "function") return rule(next, live);
  return rule === "spec" ? !equal(next["spec"], live["spec"]) : !equalExcept(next, live, ["metadata"]);
}

/** The strategy of the endpoint: the whole object's, or that of the part. */
export function updateStrategy(resource: ServedResource, subresource: string): UpdateStrategy {
  return subresource === "" ? resource.strategy : (part(resource, subresource)?.strategy ?? resource.strategy);
}
