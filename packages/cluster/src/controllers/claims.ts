import { type LabelSelector, labelSelector, type Stored, type View } from "pintle/cache";
import type { Client, Read } from "pintle/client";
import { Conflict, Invalid, NotFound } from "pintle/client";
import type { KindFacts, Metadata } from "pintle/kinds";
import { MANAGED } from "./managed.ts";
import { controlledBy, controllerOf } from "./owner.ts";

type Object = { readonly metadata: Metadata };

const WITHOUT_CONTROLLER = "without a controller";
const withoutController = (object: Object) => (controllerOf(object) === undefined ? [object.metadata.namespace ?? ""] : []);

/** Objects without a controller, by namespace: those that somebody may adopt. */
export function orphansOf<T extends Stored>(view: View<T>): (namespace: string | undefined) => readonly T[] {
  view.index(WITHOUT_CONTROLLER, withoutController);
  return (namespace) => view.by(WITHOUT_CONTROLLER, namespace ?? "");
}

/** What an owner keeps, takes and lets go of, by its selector alone. Pure. */
export function claims<T extends Object>(
  owner: Object,
  selector: LabelSelector | undefined,
  owned: readonly T[],
  orphans: readonly T[],
): { readonly kept: readonly T[]; readonly adopt: readonly T[]; readonly release: readonly T[] } {
  const wanted = labelSelector(selector ?? {});
  const chosen = ({ metadata }: T) => wanted.matches(metadata.labels);
  const going = owner.metadata.deletionTimestamp !== undefined;
  return {
    kept: owned.filter(chosen),
    release: going ? [] : owned.filter((object) => !chosen(object)),
    adopt: going ? [] : orphans.filter((object) => object.metadata.deletionTimestamp === undefined && chosen(object)),
  };
}

interface Claim<T> {
  readonly client: Pick<Client, "patch">;
  readonly kind: KindFacts;
  readonly owner: Object;
  readonly ownerKind: KindFacts;
  readonly selector: LabelSelector | undefined;
  readonly owned: readonly T[];
  readonly orphans: readonly T[];
  /** Put on what is adopted, taken off what is released. */
  readonly finalizer?: string | undefined;
}

/** Adopts what matches and belongs to nobody, releases what does not match any more; what the owner has then. */
export async function claim<T extends Object>(of: Claim<T>): Promise<readonly T[]> {
  const { kept, adopt, release } = claims(of.owner, of.selector, of.owned, of.orphans);
  if (adopt.length + release.length === 0) return kept;
  for (const object of release) {
    const uid = of.owner.metadata.uid;
    const finalizers = of.finalizer === undefined ? {} : { "$deleteFromPrimitiveList/finalizers": [of.finalizer] };
    await tolerated(patch(object, { ...finalizers, ownerReferences: [{ $patch: "delete", uid }] }));
  }
  const adopted: T[] = [];
  for (const object of adopt) {
    const finalizers = of.finalizer === undefined ? {} : { finalizers: [of.finalizer] };
    const answer = await tolerated(patch(object, { ...finalizers, ownerReferences: [controlledBy(of.ownerKind, of.owner)] }));
    if (answer !== undefined) adopted.push(answer as unknown as T);
  }
  return [...kept, ...adopted];

  function patch(object: T, metadata: object): Promise<Read<KindFacts>> {
    const { name, namespace, uid } = object.metadata;
    return of.client.patch(of.kind, { name, namespace } as never, { strategic: { metadata: { uid, ...metadata } } }, MANAGED) as never;
  }
}

/** Gone, or no longer what it was: the next look sees it as it is. */
async function tolerated<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof NotFound || error instanceof Invalid || error instanceof Conflict) return undefined;
    throw error;
  }
}
