import { matcher, type Stored, type View } from "../cache/index.ts";
import { type KindFacts, optional } from "../kinds/index.ts";
import { type Controller, isApart } from "./controller.ts";
import type { Live } from "./decide.ts";
import { keyOf, OWNER_LABEL, OWNER_NAME, placeOf } from "./names.ts";
import type { Ownable } from "./options.ts";
import type { Plant } from "./plant.ts";
import { ownedTrigger, type Trigger, trigger } from "./trigger.ts";
import type { Ear } from "./wakes.ts";

interface OwnedView {
  readonly kind: KindFacts;
  readonly view: View<any>;
  readonly trigger: Trigger;
  /** Some of its objects carry a label instead of an owner reference. */
  readonly apart: boolean;
}
/** Everything a controller looks at. */
export interface Eyes {
  readonly primary: View<any>;
  /** By id: `owns` and `formerly`. */
  readonly owned: ReadonlyMap<string, OwnedView>;
  readonly watched: ReadonlyMap<string, { readonly view: View<any>; readonly trigger: Trigger }>;
  readonly views: readonly { readonly kind: KindFacts; readonly view: View<any> }[];
  /** What wakes an object. */
  readonly ears: readonly Ear[];
}

const byOwnerLabel = ({ metadata }: Stored) => metadata.labels?.[OWNER_LABEL];
const byOwnerName = ({ metadata }: Stored) => {
  const name = metadata.annotations?.[OWNER_NAME];
  return byOwnerLabel({ metadata } as Stored) === undefined || name === undefined ? [] : [keyOf(placeOf(name))];
};

/** Opens a view of every kind that the controller declares; nobody is told of changes yet. */
export function openEyes(controller: Controller, { cache, whole }: Plant): Eyes {
  const views: { readonly kind: KindFacts; readonly view: View<any> }[] = [];
  const ears: Ear[] = [];
  const watch = (kind: KindFacts, label?: string): View<any> => {
    const view = cache.watch(kind, label === undefined || whole.has(kind.id) ? undefined : { labels: matcher(label) });
    views.push({ kind, view });
    return view;
  };
  const primary = { kind: controller.kind, view: watch(controller.kind) };
  const owned = new Map<string, OwnedView>();
  // What is no longer owned may no longer exist as a kind.
  for (const kind of [...controller.owns, ...controller.formerly.map((former) => optional(former as Ownable))]) {
    if (owned.has(kind.id)) continue;
    const apart = isApart(controller.kind, kind);
    const view = watch(kind, apart && kind.scope === "Cluster" ? OWNER_LABEL : undefined);
    const found = ownedTrigger({ name: `${controller.name} ${kind.id}`, primary, watched: { kind, view } });
    if (apart) view.index(OWNER_LABEL, byOwnerLabel);
    owned.set(kind.id, { kind, view, trigger: found, apart });
    ears.push({ source: "owns", kind, view, wakes: apart ? (object) => [...found.wakes(object), ...byOwnerName(object)] : found.wakes });
  }
  const watched = new Map<string, { readonly view: View<any>; readonly trigger: Trigger }>();
  for (const [name, { kind, by, when }] of Object.entries(controller.watches)) {
    const view = watch(kind, typeof by === "object" && "label" in by ? by.label : undefined);
    const found = trigger(by, { name: `${controller.name} ${name}`, primary, watched: { kind, view } });
    watched.set(name, { view, trigger: found });
    ears.push({ source: name, kind, view, wakes: found.wakes, when });
  }
  ears.push({ source: "object", ...primary, wakes: ({ metadata }) => [keyOf(metadata)], when: controller.when });
  return { primary: primary.view, owned, watched, views, ears };
}

/** Children of an object, whichever way they are tied to it. */
export function childrenOf(eyes: Eyes, kind: { readonly id: string }, object: Stored): readonly Live[] {
  const found = eyes.owned.get(kind.id);
  if (found === undefined) return [];
  const near = found.trigger.related(object);
  if (!found.apart) return near as unknown as readonly Live[];
  const far: readonly Stored[] = found.view.by(OWNER_LABEL, object.metadata.uid);
  return [...near, ...far.filter((each) => !near.includes(each))] as unknown as readonly Live[];
}

/** What the cache has of an owned kind under a name, whoever owns it. */
export function liveOf(
  eyes: Eyes,
  kind: KindFacts,
  at: { readonly name: string; readonly namespace?: string | undefined },
): Live | undefined {
  return eyes.owned.get(kind.id)?.view.get(at) as Live | undefined;
}

/** Is the kind there at all? */
export function isServed(eyes: Eyes, kind: KindFacts): boolean {
  const health = eyes.owned.get(kind.id)?.view.health() ?? [];
  return !health.some(({ problem }) => problem?.type === "missing");
}
