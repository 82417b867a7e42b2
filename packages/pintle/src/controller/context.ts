import type { Stored } from "../cache/index.ts";
import type { Client } from "../client/index.ts";
import type { Reason } from "../queue/index.ts";
import type { Controller } from "./controller.ts";
import { childrenOf, type Eyes } from "./eyes.ts";
import type { Logger } from "./logger.ts";
import type { Announce, Store } from "./options.ts";
import type { Trigger } from "./trigger.ts";
import { want } from "./want.ts";

export interface ContextParts {
  readonly controller: Controller;
  readonly eyes: Eyes;
  readonly object: Stored;
  readonly signal: AbortSignal;
  readonly log: Logger;
  readonly event: Announce;
  readonly reasons: readonly Reason[];
  readonly client: () => Client;
}

/**
 * What `reconcile` and `finalize` are given; the client is made when it is asked for. Getters belong to classes here: one of an object's
 * own gives the object a hidden class of its own, and V8 keeps that, and all the getter can see, until it collects everything.
 */
class Context {
  readonly object: Stored;
  readonly related: object;
  readonly want = want;
  readonly signal: AbortSignal;
  readonly log: Logger;
  readonly event: Announce;
  readonly reasons: readonly Reason[];
  readonly owned: (kind: { readonly id: string }) => Store<unknown>;
  readonly #client: () => Client;

  constructor({ controller, eyes, object, signal, log, event, reasons, client }: ContextParts) {
    this.object = object;
    this.related = relatedTo(object, eyes);
    this.signal = signal;
    this.log = log;
    this.event = event;
    this.reasons = reasons;
    this.owned = (kind) => ownedBy(object, kind, controller, eyes);
    this.#client = client;
  }
  get client(): Client {
    return this.#client();
  }
}

export function context(parts: ContextParts): object {
  return new Context(parts);
}

function ownedBy(object: Stored, kind: { readonly id: string }, controller: Controller, eyes: Eyes): Store<unknown> {
  if (!controller.owns.some((owned) => owned.id === kind.id))
    throw new TypeError(`controller ${controller.name}: owned(${kind.id}), which is not in its \`owns\``);
  const all = () => childrenOf(eyes, kind, object);
  return {
    all,
    get: (name, namespace = object.metadata.namespace) =>
      all().find(({ metadata }) => metadata.name === name && (metadata.namespace === undefined || metadata.namespace === namespace)),
  };
}

/** Lists of what is watched, by name, each made when it is first asked for. */
class Related {
  readonly #object: Stored;
  readonly #known = new Map<Trigger, readonly unknown[]>();
  constructor(object: Stored) {
    this.#object = object;
  }
  static of(related: Related, trigger: Trigger): readonly unknown[] {
    const known = related.#known.get(trigger) ?? trigger.related(related.#object);
    related.#known.set(trigger, known);
    return known;
  }
}

/** A class for each controller, with a getter for each of its watches. */
const classes = new WeakMap<Eyes, new (object: Stored) => Related>();

function relatedTo(object: Stored, eyes: Eyes): Related {
  const known = classes.get(eyes) ?? classFor(eyes);
  classes.set(eyes, known);
  return new known(object);
}

function classFor({ watched }: Eyes): new (object: Stored) => Related {
  class Watched extends Related {}
  for (const [name, { trigger }] of watched)
    Object.defineProperty(Watched.prototype, name, {
      enumerable: true,
      get(this: Related) {
        return Related.of(this, trigger);
      },
    });
  return Watched;
}
