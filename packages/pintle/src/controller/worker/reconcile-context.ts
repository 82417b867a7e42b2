import type { StoredObject } from "../../cache/index.ts";
import type { Client } from "../../client/index.ts";
import type { Clock } from "../../clock/index.ts";
import { memoize } from "../../memoize/index.ts";
import type { EnqueueReason } from "../../queue/index.ts";
import type { Controller } from "../declare/controller.ts";
import { want } from "../declare/desired-state.ts";
import type { OwnedLister, RecordEvent } from "../declare/options.ts";
import { InvalidUsage } from "../errors.ts";
import type { Logger } from "../logger.ts";
import { type EventSources, listChildren } from "../sources/event-sources.ts";
import type { KeyMapper } from "../sources/key-mapper.ts";

export interface ReconcileContextParts {
  readonly controller: Controller;
  readonly sources: EventSources;
  readonly object: StoredObject;
  readonly signal: AbortSignal;
  readonly log: Logger;
  readonly event: RecordEvent;
  readonly reasons: readonly EnqueueReason[];
  readonly client: () => Client;
  readonly clock: Clock;
}

/**
 * The argument of `reconcile` and `finalize`; the client is created on first use. The getter is on a class: a getter in an object literal gives every
 * object its own hidden class, which V8 retains, with the getter's closure, until a full garbage collection.
 */
class PassContext {
  readonly object: StoredObject;
  readonly related: object;
  readonly want = want;
  readonly signal: AbortSignal;
  readonly log: Logger;
  readonly event: RecordEvent;
  readonly reasons: readonly EnqueueReason[];
  readonly owned: (kind: { readonly id: string }) => OwnedLister<unknown>;
  readonly clock: Clock;
  readonly #client: () => Client;

  constructor({ controller, sources, object, signal, log, event, reasons, client, clock }: ReconcileContextParts) {
    this.object = object;
    this.related = new (getRelatedClass(sources))(object);
    this.signal = signal;
    this.log = log;
    this.event = event;
    this.reasons = reasons;
    this.owned = (kind) => createOwnedLister(object, kind, controller, sources);
    this.clock = clock;
    this.#client = client;
  }
  get now(): Date {
    return new Date(this.clock.now());
  }
  get client(): Client {
    return this.#client();
  }
}

/** Creates the argument of `reconcile` and `finalize`. */
export function createReconcileContext(parts: ReconcileContextParts): object {
  return new PassContext(parts);
}

function createOwnedLister(
  object: StoredObject,
  kind: { readonly id: string },
  controller: Controller,
  sources: EventSources,
): OwnedLister<unknown> {
  if (!controller.owns.some((owned) => owned.id === kind.id))
    throw new InvalidUsage("PINTLE3017", `controller ${controller.name}: owned(${kind.id}), which is not in its \`owns\``);
  const list = () => listChildren(sources, kind, object);
  return {
    list,
    get: (name, namespace = object.metadata.namespace) =>
      list().find(({ metadata }) => metadata.name === name && (metadata.namespace === undefined || metadata.namespace === namespace)),
  };
}

/** The watched objects of an object by name in `watches`, each list created on first use. */
class Related {
  readonly #object: StoredObject;
  readonly #lists = new Map<KeyMapper, readonly unknown[]>();
  constructor(object: StoredObject) {
    this.#object = object;
  }
  static get(related: Related, mapper: KeyMapper): readonly unknown[] {
    const list = related.#lists.get(mapper) ?? mapper.listRelated(related.#object);
    related.#lists.set(mapper, list);
    return list;
  }
}

/** One class per controller, with a getter for each of its watches. */
const getRelatedClass = memoize(({ watched }: EventSources): (new (object: StoredObject) => Related) => {
  class Watched extends Related {}
  for (const [name, { mapper }] of watched)
    Object.defineProperty(Watched.prototype, name, {
      enumerable: true,
      get(this: Related) {
        return Related.get(this, mapper);
      },
    });
  return Watched;
});
