import type { StoredObject } from "../../cache/index.ts";
import type { Client } from "../../client/index.ts";
import type { Clock } from "../../clock/index.ts";
import type { JsonObject } from "../../json/index.ts";
import type { KindInfo } from "../../kinds/index.ts";
import { memoize } from "../../memoize/index.ts";
import type { EnqueueReason } from "../../queue/index.ts";
import type { Controller } from "../declare/controller.ts";
import { want } from "../declare/desired-state.ts";
import type { OwnedLister, RecordEvent } from "../declare/options.ts";
import { InvalidUsage } from "../errors.ts";
import type { Logger } from "../logger.ts";
import { buildChildBody } from "../plan/child-body.ts";
import { type EventSources, listChildren } from "../sources/event-sources.ts";
import type { KeyMapper } from "../sources/key-mapper.ts";
import { noteClock, type PassReads } from "./pass-reads.ts";
import type { WorkSignal } from "./timeout.ts";

export interface ReconcileContextParts {
  readonly controller: Controller;
  readonly sources: EventSources;
  readonly object: StoredObject;
  readonly workSignal: WorkSignal;
  readonly log: Logger;
  readonly event: RecordEvent;
  readonly reasons: readonly EnqueueReason[];
  readonly client: () => Client;
  readonly clock: Clock;
  readonly assertLeading: () => void;
  /** Records what is read. Default: nothing is recorded. */
  readonly reads?: PassReads | undefined;
}

/**
 * The argument of `reconcile` and `finalize`; the client is created on first use, as is the signal. The getters are on a class: a getter in an object literal gives every
 * object its own hidden class, which V8 retains, with the getter's closure, until a full garbage collection.
 */
class PassContext {
  readonly object: StoredObject;
  readonly related: object;
  readonly want = want;
  readonly log: Logger;
  readonly event: RecordEvent;
  readonly owned: (kind: { readonly id: string }) => OwnedLister<unknown>;
  readonly assertLeading: () => void;
  readonly withOwner: (kind: KindInfo, body: JsonObject) => JsonObject;
  readonly #client: () => Client;
  readonly #clock: Clock;
  readonly #workSignal: WorkSignal;
  readonly #reasons: readonly EnqueueReason[];
  readonly #reads: PassReads | undefined;

  constructor({
    controller,
    sources,
    object,
    workSignal,
    log,
    event,
    reasons,
    client,
    clock,
    assertLeading,
    reads,
  }: ReconcileContextParts) {
    this.object = object;
    this.related = new (getRelatedClass(sources))(object, reads);
    this.log = log;
    this.event = event;
    this.owned = (kind) => createOwnedLister(object, kind, controller, sources, reads);
    this.assertLeading = assertLeading;
    this.withOwner = (kind, body) => addOwner(controller, object, kind, body);
    this.#client = client;
    this.#clock = clock;
    this.#workSignal = workSignal;
    this.#reasons = reasons;
    this.#reads = reads;
  }
  get signal(): AbortSignal {
    return this.#workSignal.signal;
  }
  get now(): Date {
    const now = this.#clock.now();
    this.#reads?.noteTime(now);
    return new Date(now);
  }
  get clock(): Clock {
    return this.#reads === undefined ? this.#clock : noteClock(this.#clock, this.#reads);
  }
  get reasons(): readonly EnqueueReason[] {
    this.#reads?.noteReasons(this.#reasons);
    return this.#reasons;
  }
  get client(): Client {
    return this.#client();
  }
}

/** Creates the argument of `reconcile` and `finalize`. */
export function createReconcileContext(parts: ReconcileContextParts): object {
  return new PassContext(parts);
}

/** Adds the namespace and the owner reference, or the owner label, of a child to a body. */
function addOwner(controller: Controller, { metadata }: StoredObject, kind: KindInfo, body: JsonObject): JsonObject {
  const object = { ...body, metadata: (body["metadata"] as JsonObject | undefined) ?? {} };
  return buildChildBody(controller, { kind: controller.kind, metadata }, { id: kind.id, kind, object, keep: undefined }).body;
}

function createOwnedLister(
  object: StoredObject,
  kind: { readonly id: string },
  controller: Controller,
  sources: EventSources,
  reads: PassReads | undefined,
): OwnedLister<unknown> {
  if (!controller.owns.some((owned) => owned.id === kind.id))
    throw new InvalidUsage("PINTLE3017", `controller ${controller.name}: owned(${kind.id}), which is not in its \`owns\``);
  const source = sources.owned.get(kind.id);
  const list = () => {
    const children = listChildren(sources, kind, object);
    if (reads !== undefined && source !== undefined) for (const child of children) reads.noteObject(source.kind, child);
    return children;
  };
  return {
    list,
    get: (name, namespace = object.metadata.namespace) =>
      list().find(({ metadata }) => metadata.name === name && (metadata.namespace === undefined || metadata.namespace === namespace)),
  };
}

/** The watched objects of an object by name in `watches`, each list created on first use. */
class Related {
  readonly #object: StoredObject;
  readonly #reads: PassReads | undefined;
  readonly #lists = new Map<KeyMapper, readonly unknown[]>();
  constructor(object: StoredObject, reads: PassReads | undefined) {
    this.#object = object;
    this.#reads = reads;
  }
  static get(related: Related, { mapper, kind }: { readonly mapper: KeyMapper; readonly kind: KindInfo }): readonly unknown[] {
    const known = related.#lists.get(mapper);
    if (known !== undefined) return known;
    const list = mapper.listRelated(related.#object);
    related.#lists.set(mapper, list);
    if (related.#reads !== undefined) for (const object of list) related.#reads.noteObject(kind, object);
    return list;
  }
}

/** One class per controller, with a getter for each of its watches. */
const getRelatedClass = memoize(({ watched }: EventSources): (new (object: StoredObject, reads: PassReads | undefined) => Related) => {
  class Watched extends Related {}
  for (const [name, source] of watched)
    Object.defineProperty(Watched.prototype, name, {
      enumerable: true,
      get(this: Related) {
        return Related.get(this, source);
      },
    });
  return Watched;
});
