import type { JsonObject } from "pintle/kinds";
import { timestamp } from "./clock.ts";
import { metadataOf, withMetadata } from "./metadata/metadata.ts";
import type { DeleteOptions } from "./options/delete-options.ts";
import type { DeletionRules, StrategyContext } from "./resource.ts";

const ORPHAN = "orphan";
const FOREGROUND = "foregroundDeletion";

/** What a delete does to an object, decided without looking at anything else. */
export type DeletionStep =
  /** It goes now; what knows grace periods is first seen as marked. */
  | { readonly type: "remove"; readonly marked?: JsonObject | undefined }
  /** It stays, marked: finalizers or a grace period are to come. */
  | { readonly type: "mark"; readonly object: JsonObject }
  /** It is marked already, and nothing more is asked for. */
  | { readonly type: "pending" };

export function deletionStep(
  object: JsonObject,
  options: Pick<DeleteOptions, "gracePeriodSeconds" | "propagation" | "orphanDependents">,
  rules: DeletionRules,
  context: StrategyContext,
): DeletionStep {
  const metadata = metadataOf(object);
  const first = metadata.deletionTimestamp === undefined;
  const requested = options.gracePeriodSeconds === undefined ? undefined : atLeast(options.gracePeriodSeconds);
  const graceful = first ? firstGrace(object, requested, rules, context.now) : shorterGrace(object, requested, context.now);
  if (graceful === "pending" || (!first && rules.held?.(object))) return { type: "pending" };

  const finalizers = collectorFinalizers(metadata.finalizers ?? [], options, rules);
  const changed = withMetadata(object, { finalizers: finalizers.length === 0 ? undefined : finalizers });
  const kept = finalizers.length > 0 || rules.held?.(changed) === true;
  const marked = (deletionTimestamp: string, deletionGracePeriodSeconds: number): JsonObject => {
    const generation = first && metadata.generation !== undefined ? metadata.generation + 1 : metadata.generation;
    const object = withMetadata(changed, { deletionTimestamp, deletionGracePeriodSeconds, generation });
    return first ? (rules.mark?.(object, context) ?? object) : object;
  };
  if (graceful !== undefined) {
    const object = marked(graceful.at, graceful.seconds);
    return graceful.seconds > 0 || kept ? { type: "mark", object } : { type: "remove", marked: object };
  }
  if (!kept) return { type: "remove" };
  const now = timestamp(context.now);
  const earlier = !first && Date.parse(metadata.deletionTimestamp as string) <= context.now;
  return { type: "mark", object: marked(earlier ? (metadata.deletionTimestamp as string) : now, 0) };
}

interface Grace {
  readonly seconds: number;
  readonly at: string;
}

/** Negative seconds count as one. */
const atLeast = (seconds: number) => (seconds < 0 ? 1 : seconds);

function firstGrace(object: JsonObject, requested: number | undefined, rules: DeletionRules, now: number): Grace | undefined {
  if (rules.grace === undefined) return undefined;
  const seconds = rules.grace(object, requested);
  return { seconds, at: timestamp(now + seconds * 1000) };
}

/** Once set, a grace period can only become shorter. */
function shorterGrace(object: JsonObject, requested: number | undefined, now: number): Grace | "pending" | undefined {
  const { deletionTimestamp = "", deletionGracePeriodSeconds: current } = metadataOf(object);
  if (current === undefined || current === 0) return undefined;
  if (requested === undefined || requested >= current) return "pending";
  const at = Date.parse(deletionTimestamp) - current * 1000 + requested * 1000;
  if (at >= now) return { seconds: requested, at: timestamp(at) };
  return { seconds: requested === 0 ? 0 : 1, at: timestamp(now) };
}

/** Propagation is a matter of two finalizers that the garbage collector takes away again. */
function collectorFinalizers(
  current: readonly string[],
  { propagation, orphanDependents }: Pick<DeleteOptions, "propagation" | "orphanDependents">,
  rules: DeletionRules,
): readonly string[] {
  const others = current.filter((finalizer) => finalizer !== ORPHAN && finalizer !== FOREGROUND);
  if (rules.propagation === "unsupported") return others;
  const chosen =
    propagation ??
    (orphanDependents === undefined ? undefined : orphanDependents ? "Orphan" : "Background") ??
    (current.includes(ORPHAN) ? "Orphan" : current.includes(FOREGROUND) ? "Foreground" : undefined) ??
    rules.propagation ??
    "Background";
  const wanted = chosen === "Orphan" ? [...others, ORPHAN] : chosen === "Foreground" ? [...others, FOREGROUND] : others;
  const same = wanted.length === current.length && wanted.every((finalizer) => current.includes(finalizer));
  return same ? current : wanted;
}
