import type { Child, KindInfo } from "../../kinds/index.ts";
import { InvalidUsage } from "../errors.ts";

/** How many finished children a history keeps; see `keepLast()`. */
export interface HistoryLimits {
  /** How many children that succeeded are kept: 0 or more. Default: all. */
  readonly succeeded?: number | undefined;
  /** How many children that failed are kept: 0 or more. Default: all. */
  readonly failed?: number | undefined;
  /** Whether children that still run are kept when they are no longer desired, or pruned: a run that replaces its predecessor. Default: "keep". */
  readonly running?: "keep" | "prune" | undefined;
  /** Tells histories of one kind apart. Children of a history that is no longer returned are pruned. Default: "default". */
  readonly name?: string | undefined;
}

/** A list of children in which those of earlier reconciliations are kept; created by `keepLast()`. */
export interface ChildHistory<out Id extends string = string> {
  readonly history: string;
  readonly kind: KindInfo<Id>;
  readonly limits: HistoryLimits;
  /** The number of `keepLast(3, ...)`: succeeded and failed children together. */
  readonly last: number | undefined;
  readonly children: readonly Child<Id>[];
}

/**
 * Declares children that are created one after another and kept for a while: Jobs, one per run. Children that are no longer returned are not pruned
 * until enough newer ones have finished.
 *
 * ## Guarantees
 *
 * - A child is written when no object of its name exists, and then left as it is, as with `create: "once"`.
 * - Of the finished children that are no longer returned, the newest are kept, by creation time; older ones are pruned. A number counts those
 *   that succeeded and those that failed together, limits count them apart.
 * - Children that still run are kept, unless `running: "prune"`.
 * - All of them are deleted with their owner, and listed by `owned(Kind)`.
 *
 * ## Caveats
 *
 * - Jobs and Pods are finished when Kubernetes says so; objects of any other kind at once, as succeeded.
 * - A child that is returned is never pruned, and is created again if it was deleted: return a run only while it is due.
 *
 * @example
 * ```ts
 * import { controller, defineResource, keepLast, z } from "pintle";
 * import { Job } from "pintle/kinds/batch/v1";
 *
 * const Nightly = defineResource({ group: "example.com", version: "v1", kind: "Nightly", spec: z.object({ image: z.string() }) });
 *
 * export const nightly = controller(Nightly, {
 *   owns: [Job],
 *   reconcile({ object, now, want }) {
 *     const { name } = object.metadata;
 *     const template = { spec: { restartPolicy: "Never" as const, containers: [{ name, image: object.spec.image }] } };
 *     const run = Job.desired({ metadata: { name: `${name}-${now.toISOString().slice(0, 10)}` }, spec: { template } });
 *     return want({ children: { runs: keepLast(3, Job, run) }, requeueAfter: "1h" });
 *   },
 * });
 * ```
 */
export function keepLast<Id extends string>(
  limits: number | HistoryLimits,
  kind: KindInfo<Id>,
  ...children: readonly (Child<NoInfer<Id>> | false | null | undefined | "" | 0)[]
): ChildHistory<Id> {
  const counted = typeof limits === "number" ? { last: limits } : { succeeded: limits.succeeded, failed: limits.failed };
  for (const [field, value] of Object.entries(counted))
    if (value !== undefined && !(Number.isSafeInteger(value) && value >= 0))
      throw new InvalidUsage("PINTLE3019", `keepLast(${kind.kind}): ${field} is ${value}: use an integer of 0 or more`);
  if (kind.metadataOnly === true)
    throw new InvalidUsage("PINTLE3019", `keepLast(${kind.kind}): only its metadata is watched, so no child is known to have finished`);
  return Object.freeze({
    history: (typeof limits === "number" ? undefined : limits.name) ?? "default",
    kind,
    limits: typeof limits === "number" ? {} : limits,
    last: typeof limits === "number" ? limits : undefined,
    children: children.filter((child) => !!child),
  });
}

/** Whether a value of `children` is a history. */
export function isHistory(value: unknown): value is ChildHistory {
  return typeof value === "object" && value !== null && "history" in value && "children" in value;
}
