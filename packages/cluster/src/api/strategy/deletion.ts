import type { JsonObject } from "pintle/kinds";
import { getMetadata, withMetadata } from "../metadata/object-meta.ts";
import { formatTimestamp } from "../metadata/timestamp.ts";
import type { DeleteOptions } from "../options/delete-options.ts";
import type { DeletionStrategy, StrategyContext } from "../registry/served-resource.ts";

const ORPHAN = "orphan";
const FOREGROUND = "foregroundDeletion";

/** What a delete does to an object. */
export type DeletionDecision =
  /** The object is removed; a kind with grace periods is marked first, for watches. */
  | { readonly type: "remove"; readonly marked?: JsonObject | undefined }
  /** The object stays, marked: finalizers or a grace period block it. */
  | { readonly type: "mark"; readonly object: JsonObject }
  /** The object is marked already, and nothing changes. */
  | { readonly type: "pending" };

export function decideDeletion(
  object: JsonObject,
  options: Pick<DeleteOptions, "gracePeriodSeconds" | "propagationPolicy" | "orphanDependents">,
  strategy: DeletionStrategy,
  context: StrategyContext,
): DeletionDecision {
  const metadata = getMetadata(object);
  const isFirstDelete = metadata.deletionTimestamp === undefined;
  const requested = options.gracePeriodSeconds === undefined ? undefined : clampGracePeriod(options.gracePeriodSeconds);
  const gracePeriod = isFirstDelete
    ? initialGracePeriod(object, requested, strategy, context.now)
    : shortenGracePeriod(object, requested, context.now);
  if (gracePeriod === "pending" || (!isFirstDelete && strategy.isDeletionBlocked?.(object))) return { type: "pending" };

  const finalizers = selectFinalizers(metadata.finalizers ?? [], options, strategy);
  const changed = withMetadata(object, { finalizers: finalizers.length === 0 ? undefined : finalizers });
  const isKept = finalizers.length > 0 || strategy.isDeletionBlocked?.(changed) === true;
  const markDeleted = (deletionTimestamp: string, deletionGracePeriodSeconds: number): JsonObject => {
    const generation = isFirstDelete && metadata.generation !== undefined ? metadata.generation + 1 : metadata.generation;
    const object = withMetadata(changed, { deletionTimestamp, deletionGracePeriodSeconds, generation });
    return isFirstDelete ? (strategy.prepareForDelete?.(object, context) ?? object) : object;
  };
  if (gracePeriod !== undefined) {
    const object = markDeleted(gracePeriod.deletionTimestamp, gracePeriod.seconds);
    return gracePeriod.seconds > 0 || isKept ? { type: "mark", object } : { type: "remove", marked: object };
  }
  if (!isKept) return { type: "remove" };
  const now = formatTimestamp(context.now);
  const earlier = !isFirstDelete && Date.parse(metadata.deletionTimestamp as string) <= context.now;
  return { type: "mark", object: markDeleted(earlier ? (metadata.deletionTimestamp as string) : now, 0) };
}

interface GracePeriod {
  readonly seconds: number;
  readonly deletionTimestamp: string;
}

/** Negative seconds count as one. */
const clampGracePeriod = (seconds: number) => (seconds < 0 ? 1 : seconds);

function initialGracePeriod(
  object: JsonObject,
  requested: number | undefined,
  rules: DeletionStrategy,
  now: number,
): GracePeriod | undefined {
  if (rules.getGracePeriodSeconds === undefined) return undefined;
  const seconds = rules.getGracePeriodSeconds(object, requested);
  return { seconds, deletionTimestamp: formatTimestamp(now + seconds * 1000) };
}

/** Once set, a grace period can only become shorter. */
function shortenGracePeriod(object: JsonObject, requested: number | undefined, now: number): GracePeriod | "pending" | undefined {
  const { deletionTimestamp = "", deletionGracePeriodSeconds: current } = getMetadata(object);
  if (current === undefined || current === 0) return undefined;
  if (requested === undefined || requested >= current) return "pending";
  const at = Date.parse(deletionTimestamp) - current * 1000 + requested * 1000;
  if (at >= now) return { seconds: requested, deletionTimestamp: formatTimestamp(at) };
  return { seconds: requested === 0 ? 0 : 1, deletionTimestamp: formatTimestamp(now) };
}

/** Selects the two finalizers of the garbage collector that express the propagation policy. */
function selectFinalizers(
  current: readonly string[],
  { propagationPolicy, orphanDependents }: Pick<DeleteOptions, "propagationPolicy" | "orphanDependents">,
  rules: DeletionStrategy,
): readonly string[] {
  const others = current.filter((finalizer) => finalizer !== ORPHAN && finalizer !== FOREGROUND);
  if (rules.defaultPropagation === "unsupported") return others;
  const chosen =
    propagationPolicy ??
    (orphanDependents === undefined ? undefined : orphanDependents ? "Orphan" : "Background") ??
    (current.includes(ORPHAN) ? "Orphan" : current.includes(FOREGROUND) ? "Foreground" : undefined) ??
    rules.defaultPropagation ??
    "Background";
  const wanted = chosen === "Orphan" ? [...others, ORPHAN] : chosen === "Foreground" ? [...others, FOREGROUND] : others;
  const same = wanted.length === current.length && wanted.every((finalizer) => current.includes(finalizer));
  return same ? current : wanted;
}
