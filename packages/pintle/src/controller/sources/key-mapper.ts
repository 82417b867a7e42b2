import { type CachedView, deepFreeze, type IndexFunction, type StoredObject } from "../../cache/index.ts";
import type { KindInfo } from "../../kinds/index.ts";
import type { WatchMapping } from "../declare/options.ts";
import { type NamespacedName, toKey } from "../names.ts";

/** Maps between a watched kind and the primary kind, in both directions. */
export interface KeyMapper {
  /** Returns the keys of the primary objects that an object concerns. Throws if the user's function does. */
  mapToKeys(object: StoredObject): readonly string[];
  /** Lists the watched objects that concern a primary object, from the cache. */
  listRelated(primary: StoredObject): readonly StoredObject[];
}
export interface KeyMapperOptions {
  /** The name of the index; unique per view. */
  readonly name: string;
  readonly primary: { readonly kind: KindInfo; readonly view: CachedView<any> };
  readonly watched: { readonly kind: KindInfo; readonly view: CachedView<any> };
}

/** Creates the mapper for an entry of `watches`. */
export function createKeyMapper(by: WatchMapping<any, any>, options: KeyMapperOptions): KeyMapper {
  if (by === "owner") return mapByOwner(options, () => true);
  if (typeof by === "function")
    // The user's function receives the stored object and must not change it.
    return mapByIndex(options, (object) => by(deepFreeze(object)).map((name) => primaryKey(options, object, name)));
  if ("label" in by) {
    const { label } = by;
    return mapByIndex(options, ({ metadata }) => keysFromValue(options, metadata, metadata.labels?.[label]));
  }
  if ("annotation" in by) {
    const { annotation } = by;
    return mapByIndex(options, ({ metadata }) => keysFromValue(options, metadata, metadata.annotations?.[annotation]));
  }
  return mapByName(options, by.name);
}

/** Creates the mapper for `owns`: children whose controlling owner is the primary object. */
export function createControllerOwnerMapper(options: KeyMapperOptions): KeyMapper {
  return mapByOwner(options, (reference) => reference.controller === true);
}

function mapByOwner(
  { primary, watched }: KeyMapperOptions,
  isOwner: (reference: { readonly controller?: boolean | undefined }) => boolean,
): KeyMapper {
  const { group, kind, scope } = primary.kind;
  return {
    mapToKeys: ({ metadata }) =>
      (metadata.ownerReferences ?? [])
        // The version in an owner reference does not matter.
        .filter((reference) => isOwner(reference) && reference.kind === kind && groupOf(reference.apiVersion) === group)
        .map(({ name }) => toKey(scope === "Cluster" ? { name } : { name, namespace: metadata.namespace })),
    listRelated: ({ metadata: { uid } }) =>
      watched.view
        .byOwner(uid)
        .filter(({ metadata }) => metadata.ownerReferences?.some((reference: any) => reference.uid === uid && isOwner(reference))),
  };
}

/** For mappings that follow from the watched object. */
function mapByIndex({ name, watched }: KeyMapperOptions, mapToKeys: (object: StoredObject) => readonly string[]): KeyMapper {
  const index = `concerns ${name}`;
  watched.view.addIndex(index, mapToKeys as IndexFunction<StoredObject>);
  return { mapToKeys, listRelated: ({ metadata }) => watched.view.byIndex(index, toKey(metadata)) };
}

/** For mappings that follow from the primary object. */
function mapByName(
  { name, primary, watched }: KeyMapperOptions,
  names: (primary: any) => string | readonly string[] | undefined,
): KeyMapper {
  const index = `names ${name}`;
  primary.view.addIndex(index, (object) => names(deepFreeze(object)));
  const areBothNamespaced = primary.kind.scope === "Namespaced" && watched.kind.scope === "Namespaced";
  return {
    mapToKeys({ metadata }) {
      // Before the first list nothing can be missed: it enqueues every primary object.
      if (!primary.view.isSynced) return [];
      const found: readonly StoredObject[] = primary.view.byIndex(index, metadata.name);
      return found
        .filter((object) => !areBothNamespaced || object.metadata.namespace === metadata.namespace)
        .map(({ metadata }) => toKey(metadata));
    },
    listRelated: (object) => {
      const named = names(object) ?? [];
      const namespace = watched.kind.scope === "Namespaced" ? object.metadata.namespace : undefined;
      return (typeof named === "string" ? [named] : named)
        .map((each) => watched.view.get({ name: each, namespace }))
        .filter((each) => each !== undefined);
    },
  };
}

function keysFromValue(
  options: KeyMapperOptions,
  { namespace }: { readonly namespace?: string | undefined },
  value: string | undefined,
): readonly string[] {
  if (value === undefined || value === "") return [];
  const slash = value.indexOf("/");
  const at: NamespacedName = slash < 0 ? { name: value, namespace } : { namespace: value.slice(0, slash), name: value.slice(slash + 1) };
  return [toKey(options.primary.kind.scope === "Cluster" ? { name: at.name } : at)];
}

function primaryKey(options: KeyMapperOptions, { metadata }: StoredObject, { name, namespace }: NamespacedName): string {
  return toKey(options.primary.kind.scope === "Cluster" ? { name } : { name, namespace: namespace ?? metadata.namespace });
}

function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf("/");
  return slash < 0 ? "" : apiVersion.slice(0, slash);
}
