import type { Change, Stored, View } from "../cache/index.ts";
import type { KindFacts } from "../kinds/index.ts";
import { LISTED, queue, type Reason } from "../queue/index.ts";
import type { Controller } from "./controller.ts";
import { keyOf } from "./names.ts";
import type { Filter } from "./options.ts";
import type { Plant } from "./plant.ts";
import type { Runs } from "./runs.ts";

export interface Ear {
  /** Which of the controller's sources this is, for logs and metrics. */
  readonly source: string;
  readonly kind: KindFacts;
  readonly view: View<any>;
  /** Keys of the primaries that a state of an object concerns. */
  readonly wakes: (object: Stored) => readonly string[];
  readonly when?: Filter<any> | undefined;
}

/** Turns changes into wakes. What a user's function throws for is kept, and mapped again with backoff. */
export function wakes(controller: Controller, { clock, observer, logger }: Plant, runs: Runs) {
  const unmapped = new Map<string, () => void>();
  const mapping = queue({
    clock,
    work({ key }) {
      unmapped.get(key)?.();
      unmapped.delete(key);
    },
  });

  const wake = ({ source, kind, wakes, when }: Ear, change: Change<Stored>) => {
    if (when !== undefined && !when(change.old, change.new)) return;
    const { namespace, name } = (change.new ?? change.old)!.metadata;
    // Both states, or whoever is left behind would never hear of it.
    const keys = new Set([...(change.old === undefined ? [] : wakes(change.old)), ...(change.new === undefined ? [] : wakes(change.new))]);
    const reason: Reason = { event: change.event, kind: kind.kind, namespace, name, source };
    for (const key of keys) runs.wake(key, change, reason, change.event === "listed" ? LISTED : 0);
  };
  const keep = (ear: Ear, change: Change<Stored>, error: unknown) => {
    const object = keyOf((change.new ?? change.old)!.metadata);
    const key = `${ear.source} ${object}`;
    observer.mapFailed?.(controller.name, ear.source);
    logger.error("a change could not be mapped and will be mapped again", {
      controller: controller.name,
      source: ear.source,
      object,
      error,
    });
    const before = unmapped.get(key);
    unmapped.set(key, () => {
      before?.();
      wake(ear, change);
    });
    mapping.add(key);
  };
  return {
    listen(ear: Ear): void {
      ear.view.on((change: Change<Stored>) => {
        try {
          wake(ear, change);
        } catch (error) {
          keep(ear, change, error);
        }
      });
    },
    get waiting() {
      return unmapped.size;
    },
    start: () => mapping.start(),
    stop: () => mapping.stop(),
  };
}
