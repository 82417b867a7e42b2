import { type CachedView, deepFreeze, type IndexFunction, type StoredObject } from "../../cache/index.ts";
import type { KindInfo, LabelSelector } from "../../kinds/index.ts";
import { compileLabelSelector, type LabelMatcher } from "../../selectors/index.ts";
import type { NameMapping, NameReference, SelectorMapping, WatchMapping } from "../declare/options.ts";
import { InvalidUsage } from "../errors.ts";
import { formatObject, type NamespacedName, parseKey, toKey } from "../names.ts";

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
  if ("selector" in by) return mapBySelector(options, by);
  return mapByName(options, by);
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

const nameOf = ({ metadata }: StoredObject) => metadata.name;
const NAME_INDEX = "name";

/** For mappings in which the primary object names the watched ones. */
function mapByName({ name, primary, watched }: KeyMapperOptions, by: NameMapping<any>): KeyMapper {
  const index = `names ${name}`;
  const subject = `watches ${name}`;
  const resolve = (object: StoredObject) => resolveReferences(subject, watched.kind, object.metadata, by.name(deepFreeze(object)));
  primary.view.addIndex(index, (object) => resolve(object).map(referenceKey));
  const canNameAnyNamespace = primary.kind.scope === "Cluster" && watched.kind.scope === "Namespaced";
  if (canNameAnyNamespace) watched.view.addIndex(NAME_INDEX, nameOf);
  return {
    mapToKeys({ metadata }) {
      // Before the first list nothing can be missed: it enqueues every primary object.
      if (!primary.view.isSynced) return [];
      const found: readonly StoredObject[] = [
        ...primary.view.byIndex(index, toKey(metadata)),
        ...(canNameAnyNamespace ? primary.view.byIndex(index, referenceKey({ name: metadata.name, namespace: ANY_NAMESPACE })) : []),
      ];
      return found.map((object) => toKey(object.metadata));
    },
    listRelated: (object) => {
      const found = resolve(object).flatMap(({ name: named, namespace }): readonly StoredObject[] => {
        if (namespace === ANY_NAMESPACE) return watched.view.byIndex(NAME_INDEX, named);
        const one = watched.view.get({ name: named, namespace });
        if (one === undefined) assertWatched(subject, watched, { name: named, namespace });
        return one === undefined ? [] : [one];
      });
      return [...new Set(found)];
    },
  };
}

/** The namespace of a reference from a cluster-scoped object that names none. It is not a valid name. */
const ANY_NAMESPACE = "*";
const referenceKey = toKey;

/** Returns the references of a primary object. Throws `InvalidUsage` for one that no object can match. */
function resolveReferences(
  subject: string,
  kind: KindInfo,
  { namespace: own }: { readonly namespace?: string | undefined },
  named: NameReference | readonly NameReference[] | undefined,
): readonly NamespacedName[] {
  const references = (named === undefined ? [] : Array.isArray(named) ? named : [named]) as readonly NameReference[];
  return references.map((reference) => {
    const { name, namespace } = typeof reference === "string" ? parseKey(reference) : reference;
    if (kind.scope === "Namespaced") return { name, namespace: namespace ?? own ?? ANY_NAMESPACE };
    if (namespace === undefined) return { name };
    throw new InvalidUsage(
      "PINTLE3007",
      `${subject}: ${formatObject(kind, { name, namespace })} has a namespace, but ${kind.kind} is cluster-scoped`,
    );
  });
}

/** Throws `InvalidUsage` if the manager does not watch the namespace of a reference: the object would always seem to be missing. */
function assertWatched(subject: string, { kind, view }: KeyMapperOptions["watched"], at: NamespacedName): void {
  const namespaces = view.health().map(({ namespace }) => namespace);
  if (at.namespace === undefined || namespaces.length === 0 || namespaces.includes(undefined) || namespaces.includes(at.namespace)) return;
  throw new InvalidUsage(
    "PINTLE3007",
    `${subject}: ${formatObject(kind, at)} is not in a watched namespace (${namespaces.join(", ")}): add ${at.namespace} to the namespaces of the manager`,
  );
}

/** For mappings in which the primary object selects the watched ones by label. */
function mapBySelector({ name, primary, watched }: KeyMapperOptions, { selector, namespaces = "own" }: SelectorMapping<any>): KeyMapper {
  const index = `selects ${name}`;
  const isOwnNamespace = namespaces === "own" && primary.kind.scope === "Namespaced" && watched.kind.scope === "Namespaced";
  const selectorOf = (object: StoredObject) => selector(deepFreeze(object));
  const matchers = new WeakMap<StoredObject, LabelMatcher>();
  const matcherOf = (object: StoredObject) => {
    const matcher = matchers.get(object) ?? compileLabelSelector(selectorOf(object));
    matchers.set(object, matcher);
    return matcher;
  };
  primary.view.addIndex(index, (object) => {
    matcherOf(object);
    return requiredLabels(selectorOf(object));
  });
  return {
    mapToKeys({ metadata }) {
      if (!primary.view.isSynced) return [];
      const labels = Object.entries(metadata.labels ?? {}).map(([key, value]) => `${key}=${value}`);
      const candidates: readonly StoredObject[] = [ANY_LABELS, ...labels].flatMap((label) => primary.view.byIndex(index, label));
      return candidates
        .filter((object) => !isOwnNamespace || object.metadata.namespace === metadata.namespace)
        .filter((object) => matcherOf(object).matches(metadata.labels))
        .map((object) => toKey(object.metadata));
    },
    listRelated: (object) => {
      if (selectorOf(object) === undefined) return [];
      return watched.view.list({ labels: matcherOf(object), ...(isOwnNamespace ? { namespace: object.metadata.namespace } : {}) });
    },
  };
}

/** The index value of selectors that require no label with a certain value. */
const ANY_LABELS = "";

/** Returns labels of which every selected object has one, as index values: an event is compared only with selectors that can match it. */
function requiredLabels(selector: LabelSelector | undefined): readonly string[] {
  if (selector === undefined) return [];
  const [first] = Object.entries(selector.matchLabels ?? {});
  if (first !== undefined) return [`${first[0]}=${first[1]}`];
  const set = selector.matchExpressions?.find(({ operator }) => operator === "In");
  return set === undefined ? [ANY_LABELS] : (set.values ?? []).map((value) => `${set.key}=${value}`);
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

function primaryKey({ name: mapping, primary: { kind } }: KeyMapperOptions, { metadata }: StoredObject, at: NamespacedName): string {
  if (kind.scope === "Cluster") return toKey({ name: at.name });
  const namespace = at.namespace ?? metadata.namespace;
  if (namespace === undefined)
    throw new InvalidUsage(
      "PINTLE3007",
      `watches ${mapping}: ${kind.kind} ${at.name} needs a namespace: ${metadata.name} has none to share`,
    );
  return toKey({ name: at.name, namespace });
}

function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf("/");
  return slash < 0 ? "" : apiVersion.slice(0, slash);
}
