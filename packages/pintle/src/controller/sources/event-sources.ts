import type { CachedView, StoredObject } from "../../cache/index.ts";
import { type AnyKind, type KindInfo, optionalKind } from "../../kinds/index.ts";
import { createLabelMatcher } from "../../selectors/index.ts";
import { type Controller, canBeCrossNamespace } from "../declare/controller.ts";
import type { ControllerDeps } from "../deps.ts";
import { OWNER_NAME_ANNOTATION, OWNER_UID_LABEL, PAUSED_ANNOTATION, parseKey, toKey } from "../names.ts";
import type { LiveJsonObject } from "../plan/decide.ts";
import type { EventHandler } from "./enqueue-events.ts";
import { createControllerOwnerMapper, createKeyMapper, type KeyMapper } from "./key-mapper.ts";

/** The event source of a kind in `owns` or `formerly`. */
interface OwnedSource {
  readonly kind: KindInfo;
  readonly view: CachedView<any>;
  readonly mapper: KeyMapper;
  /** Returns the keys of the owners of a child. */
  readonly mapToOwners: (child: StoredObject) => readonly string[];
  /** Whether its objects can be cross-namespace children, which carry a label instead of an owner reference. */
  readonly isCrossNamespace: boolean;
}
/** The event sources of a controller: a view of each kind it declares. */
export interface EventSources {
  readonly primary: CachedView<any>;
  /** `owns` and `formerly`, by kind id. */
  readonly owned: ReadonlyMap<string, OwnedSource>;
  /** `watches`, by name. */
  readonly watched: ReadonlyMap<string, { readonly kind: KindInfo; readonly view: CachedView<any>; readonly mapper: KeyMapper }>;
  readonly views: readonly { readonly kind: KindInfo; readonly view: CachedView<any> }[];
  /** How the events of each view become keys. */
  readonly handlers: readonly EventHandler[];
}

const ownerUidFromLabel = ({ metadata }: StoredObject) => metadata.labels?.[OWNER_UID_LABEL];
const ownerKeyFromAnnotation = ({ metadata }: StoredObject) => {
  const name = metadata.annotations?.[OWNER_NAME_ANNOTATION];
  return ownerUidFromLabel({ metadata } as StoredObject) === undefined || name === undefined ? [] : [toKey(parseKey(name))];
};

/** Opens a view of every kind that the controller declares. Event handlers are not added yet. */
export function openEventSources(controller: Controller, { cache, unfilteredKinds }: ControllerDeps): EventSources {
  const views: { readonly kind: KindInfo; readonly view: CachedView<any> }[] = [];
  const handlers: EventHandler[] = [];
  const watch = (kind: KindInfo, label?: string): CachedView<any> => {
    const view = cache.watch(kind, label === undefined || unfilteredKinds.has(kind.id) ? undefined : { labels: createLabelMatcher(label) });
    views.push({ kind, view });
    return view;
  };
  const primary = { kind: controller.kind, view: watch(controller.kind) };
  const owned = new Map<string, OwnedSource>();
  // The CRD of a former kind may have been deleted.
  for (const kind of [...controller.owns, ...controller.formerly.map((former) => optionalKind(former as AnyKind))]) {
    if (owned.has(kind.id)) continue;
    const isCrossNamespace = canBeCrossNamespace(controller.kind, kind);
    const view = watch(kind, isCrossNamespace && kind.scope === "Cluster" ? OWNER_UID_LABEL : undefined);
    const mapper = createControllerOwnerMapper({ name: `${controller.name} ${kind.id}`, primary, watched: { kind, view } });
    view.addIndex(OWNER_UID_LABEL, ownerUidFromLabel);
    // Cross-namespace children and those with `keep` have no owner reference.
    const mapToOwners = (object: StoredObject) => [...mapper.mapToKeys(object), ...ownerKeyFromAnnotation(object)];
    owned.set(kind.id, { kind, view, mapper, mapToOwners, isCrossNamespace });
    handlers.push({ source: "owns", kind, view, mapToKeys: mapToOwners });
  }
  const watched = new Map<string, { readonly kind: KindInfo; readonly view: CachedView<any>; readonly mapper: KeyMapper }>();
  for (const [name, { kind, by, when }] of Object.entries(controller.watches)) {
    const view = watch(kind, typeof by === "object" && "label" in by ? by.label : undefined);
    const mapper = createKeyMapper(by, { name: `${controller.name} ${name}`, primary, watched: { kind, view } });
    watched.set(name, { kind, view, mapper });
    handlers.push({ source: name, kind, view, mapToKeys: mapper.mapToKeys, predicate: when });
  }
  handlers.push({
    source: "object",
    ...primary,
    mapToKeys: ({ metadata }) => [toKey(metadata)],
    predicate: passPauseChanges(controller.when),
  });
  return { primary: primary.view, owned, watched, views, handlers };
}

/** Lists the children of an object, found by owner reference or by owner label. */
export function listChildren(sources: EventSources, kind: { readonly id: string }, object: StoredObject): readonly LiveJsonObject[] {
  const found = sources.owned.get(kind.id);
  if (found === undefined) return [];
  const byReference = found.mapper.listRelated(object);
  const byLabel: readonly StoredObject[] = found.view.byIndex(OWNER_UID_LABEL, object.metadata.uid);
  return [...byReference, ...byLabel.filter((each) => !byReference.includes(each))] as unknown as readonly LiveJsonObject[];
}

/** Returns the object of an owned kind with this name from the cache, whatever its owner. */
export function getLive(
  sources: EventSources,
  kind: KindInfo,
  at: { readonly name: string; readonly namespace?: string | undefined },
): LiveJsonObject | undefined {
  return sources.owned.get(kind.id)?.view.get(at) as LiveJsonObject | undefined;
}

/** Returns whether the API server serves an owned kind. */
export function isKindServed(sources: EventSources, kind: KindInfo): boolean {
  const health = sources.owned.get(kind.id)?.view.health() ?? [];
  return !health.some(({ problem }) => problem?.type === "missing");
}

/** Returns the predicate of the primary objects: pausing and resuming an object always count, whatever `when` says. */
function passPauseChanges(when: Controller["when"]): Controller["when"] {
  const isPaused = (object: StoredObject | undefined) => object?.metadata.annotations?.[PAUSED_ANNOTATION] === "true";
  return when && ((old, now) => isPaused(old as StoredObject | undefined) !== isPaused(now as StoredObject | undefined) || when(old, now));
}
