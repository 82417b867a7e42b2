import { frozen, type IndexKeys, type Stored, type View } from "../cache/index.ts";
import type { KindFacts } from "../kinds/index.ts";
import { keyOf, type Located } from "./names.ts";
import type { By, ObjectName } from "./options.ts";

/** Between a watched kind and the primary: whom does an object wake, and which objects concern a primary. */
export interface Trigger {
  /** Keys of primaries that this state of an object concerns. May throw where the user's function does. */
  wakes(object: Stored): readonly string[];
  related(primary: Stored): readonly Stored[];
}
export interface TriggerOptions {
  /** Unique in its view: names the index. */
  readonly name: string;
  readonly primary: { readonly kind: KindFacts; readonly view: View<any> };
  readonly watched: { readonly kind: KindFacts; readonly view: View<any> };
}

export function trigger(by: By<any, any>, options: TriggerOptions): Trigger {
  if (by === "owner") return byOwner(options, () => true);
  if (typeof by === "function")
    // A function of the user's sees what the cache keeps, and may not change it.
    return indexed(options, (object) => by(frozen(object)).map((name) => primaryKey(options, object, name)));
  if ("label" in by) {
    const { label } = by;
    return indexed(options, ({ metadata }) => named(options, metadata, metadata.labels?.[label]));
  }
  if ("annotation" in by) {
    const { annotation } = by;
    return indexed(options, ({ metadata }) => named(options, metadata, metadata.annotations?.[annotation]));
  }
  return byName(options, by.name);
}

/** Children whose controller is the primary: what `owns` follows. */
export function ownedTrigger(options: TriggerOptions): Trigger {
  return byOwner(options, (reference) => reference.controller === true);
}

function byOwner(
  { primary, watched }: TriggerOptions,
  counts: (reference: { readonly controller?: boolean | undefined }) => boolean,
): Trigger {
  const { group, kind, scope } = primary.kind;
  return {
    wakes: ({ metadata }) =>
      (metadata.ownerReferences ?? [])
        // Any version of the owner's kind is the same kind.
        .filter((reference) => counts(reference) && reference.kind === kind && groupOf(reference.apiVersion) === group)
        .map(({ name }) => keyOf(scope === "Cluster" ? { name } : { name, namespace: metadata.namespace })),
    related: ({ metadata: { uid } }) =>
      watched.view
        .owned(uid)
        .filter(({ metadata }) => metadata.ownerReferences?.some((reference: any) => reference.uid === uid && counts(reference))),
  };
}

/** The watched object says whom it concerns. */
function indexed({ name, watched }: TriggerOptions, wakes: (object: Stored) => readonly string[]): Trigger {
  const index = `concerns ${name}`;
  watched.view.index(index, wakes as IndexKeys<Stored>);
  return { wakes, related: ({ metadata }) => watched.view.by(index, keyOf(metadata)) };
}

/** The primary says which objects concern it. */
function byName({ name, primary, watched }: TriggerOptions, names: (primary: any) => string | readonly string[] | undefined): Trigger {
  const index = `names ${name}`;
  primary.view.index(index, (object) => names(frozen(object)));
  const together = primary.kind.scope === "Namespaced" && watched.kind.scope === "Namespaced";
  return {
    wakes({ metadata }) {
      // Before, nobody can be missed: every primary is woken by its own first list.
      if (!primary.view.isSynced) return [];
      const found: readonly Stored[] = primary.view.by(index, metadata.name);
      return found.filter((object) => !together || object.metadata.namespace === metadata.namespace).map(({ metadata }) => keyOf(metadata));
    },
    related: (object) => {
      const given = names(object) ?? [];
      const namespace = watched.kind.scope === "Namespaced" ? object.metadata.namespace : undefined;
      return (typeof given === "string" ? [given] : given)
        .map((each) => watched.view.get({ name: each, namespace }))
        .filter((each) => each !== undefined);
    },
  };
}

function named(
  options: TriggerOptions,
  { namespace }: { readonly namespace?: string | undefined },
  value: string | undefined,
): readonly string[] {
  if (value === undefined || value === "") return [];
  const slash = value.indexOf("/");
  const at: Located = slash < 0 ? { name: value, namespace } : { namespace: value.slice(0, slash), name: value.slice(slash + 1) };
  return [keyOf(options.primary.kind.scope === "Cluster" ? { name: at.name } : at)];
}

function primaryKey(options: TriggerOptions, { metadata }: Stored, { name, namespace }: ObjectName): string {
  return keyOf(options.primary.kind.scope === "Cluster" ? { name } : { name, namespace: namespace ?? metadata.namespace });
}

function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf("/");
  return slash < 0 ? "" : apiVersion.slice(0, slash);
}
