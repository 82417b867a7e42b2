import type { CachedView, ObjectChange, StoredObject } from "../../cache/index.ts";
import type { KindInfo } from "../../kinds/index.ts";
import { createWorkQueue, type EnqueueReason, LOW_PRIORITY } from "../../queue/index.ts";
import { causeOfChange, type RunRecorder } from "../../recorder/index.ts";
import type { Controller } from "../declare/controller.ts";
import type { EventPredicate } from "../declare/options.ts";
import type { ControllerDeps } from "../deps.ts";
import { toKey } from "../names.ts";
import type { OwnWriteFilter } from "../worker/own-write-filter.ts";

/** How the events of one view become keys. */
export interface EventHandler {
  /** The name of the event source, for logs and metrics: "object", "owns" or the name in `watches`. */
  readonly source: string;
  readonly kind: KindInfo;
  readonly view: CachedView<any>;
  /** Returns the keys of the primary objects that a state of an object concerns. */
  readonly mapToKeys: (object: StoredObject) => readonly string[];
  readonly predicate?: EventPredicate<any> | undefined;
}

/** Creates the enqueuer: event -> predicate -> mapper -> own-write filter. Events whose mapping throws are retried with backoff. */
export function createEventEnqueuer(
  controller: Controller,
  { clock, observer, logger }: ControllerDeps,
  ownWriteFilter: OwnWriteFilter,
  runs?: RunRecorder,
) {
  const failedMappings = new Map<string, () => void>();
  const retryQueue = createWorkQueue({
    clock,
    work({ key }) {
      failedMappings.get(key)?.();
      failedMappings.delete(key);
    },
  });

  const enqueue = ({ source, kind, mapToKeys, predicate }: EventHandler, change: ObjectChange<StoredObject>) => {
    const { namespace, name } = (change.new ?? change.old)!.metadata;
    const reason: EnqueueReason = { event: change.event, kind: kind.kind, namespace, name, source };
    if (predicate !== undefined && !predicate(change.old, change.new)) {
      runs?.drop("predicate", causeOfChange(change, kind.kind, source));
      return;
    }
    // Both states: a primary object that is no longer referenced must be reconciled too.
    const keys = new Set([
      ...(change.old === undefined ? [] : mapToKeys(change.old)),
      ...(change.new === undefined ? [] : mapToKeys(change.new)),
    ]);
    if (keys.size === 0) runs?.drop("mapped to no key", causeOfChange(change, kind.kind, source));
    for (const key of keys) ownWriteFilter.enqueue(key, change, reason, change.event === "listed" ? LOW_PRIORITY : 0);
  };
  const retryLater = (handler: EventHandler, change: ObjectChange<StoredObject>, error: unknown) => {
    const object = toKey((change.new ?? change.old)!.metadata);
    const { source } = handler;
    const key = `${source} ${object}`;
    observer.onMapError?.(controller.name, source);
    logger.error("Failed to map event, retrying with backoff", { controller: controller.name, source, object, error });
    const earlier = failedMappings.get(key);
    failedMappings.set(key, () => {
      earlier?.();
      enqueue(handler, change);
    });
    retryQueue.add(key);
  };
  return {
    addHandler(handler: EventHandler): void {
      handler.view.addEventHandler((change: ObjectChange<StoredObject>) => {
        try {
          enqueue(handler, change);
        } catch (error) {
          retryLater(handler, change, error);
        }
      });
    },
    /** Number of events whose mapping threw and that wait for a retry. */
    get pendingMappings() {
      return failedMappings.size;
    },
    start: () => retryQueue.start(),
    stop: () => retryQueue.stop(),
  };
}
