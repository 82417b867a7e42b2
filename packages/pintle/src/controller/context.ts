import type { Stored, View } from "../cache/index.ts";
import type { Client } from "../client/index.ts";
import type { KindFacts } from "../kinds/index.ts";
import type { Reason } from "../queue/index.ts";
import type { Controller } from "./controller.ts";
import type { Live } from "./decide.ts";
import type { Logger } from "./logger.ts";
import { OWNER_LABEL } from "./names.ts";
import type { Announce, Store } from "./options.ts";
import type { Trigger } from "./trigger.ts";
import { want } from "./want.ts";

/** The caches of one controller. */
export interface Eyes {
  readonly primary: View<any>;
  /** By id: `owns` and `formerly`. */
  readonly owned: ReadonlyMap<
    string,
    { readonly kind: KindFacts; readonly view: View<any>; readonly trigger: Trigger; readonly apart: View<any> | undefined }
  >;
  readonly watched: ReadonlyMap<string, { readonly view: View<any>; readonly trigger: Trigger }>;
}

/** Children of an object, whichever way they are tied to it. */
export function childrenOf(eyes: Eyes, kind: { readonly id: string }, object: Stored): readonly Live[] {
  const found = eyes.owned.get(kind.id);
  if (found === undefined) return [];
  const near = found.trigger.related(object);
  if (found.apart === undefined) return near as unknown as readonly Live[];
  const far = found.apart.by(OWNER_LABEL, object.metadata.uid);
  return [...near, ...far.filter((each) => !near.some((one) => one.metadata.uid === each.metadata.uid))] as unknown as readonly Live[];
}

/** What the cache has of an owned kind under a name, whoever owns it. */
export function liveOf(
  eyes: Eyes,
  kind: KindFacts,
  at: { readonly name: string; readonly namespace?: string | undefined },
): Live | undefined {
  const found = eyes.owned.get(kind.id);
  return found && ((found.view.get(at) ?? found.apart?.get(at)) as Live | undefined);
}

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
