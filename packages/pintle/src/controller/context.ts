import type { Stored } from "../cache/index.ts";
import type { Client } from "../client/index.ts";
import type { Reason } from "../queue/index.ts";
import type { Controller } from "./controller.ts";
import { childrenOf, type Eyes } from "./eyes.ts";
import type { Logger } from "./logger.ts";
import type { Announce, Store } from "./options.ts";
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

/** What `reconcile` and `finalize` are given. Lists are made when they are asked for. */
export function context({ controller, eyes, object, signal, log, event, reasons, client }: ContextParts): object {
  const related = {};
  for (const [name, { trigger }] of eyes.watched) lazy(related, name, () => trigger.related(object));
  const made = {
    object,
    related,
    want,
    signal,
    log,
    event,
    reasons,
    owned(kind: { readonly id: string }): Store<unknown> {
      if (!controller.owns.some((owned) => owned.id === kind.id))
        throw new TypeError(`controller ${controller.name}: owned(${kind.id}), which is not in its \`owns\``);
      const all = () => childrenOf(eyes, kind, object);
      return {
        all,
        get: (name, namespace = object.metadata.namespace) =>
          all().find(({ metadata }) => metadata.name === name && (metadata.namespace === undefined || metadata.namespace === namespace)),
      };
    },
  };
  return lazy(made, "client", client);
}

function lazy<T extends object>(target: T, name: string, make: () => unknown): T {
  let value: unknown;
  let made = false;
  return Object.defineProperty(target, name, {
    enumerable: true,
    get() {
      if (!made) value = make();
      made = true;
      return value;
    },
  });
}
