import type { Client, LiveObject } from "pintle/client";
import { Conflict, Invalid, NotFound } from "pintle/client";
import type { CachedView, StoredObject } from "pintle/internal/cache";
import { compileLabelSelector } from "pintle/internal/selectors";
import type { KindInfo, LabelSelector, Metadata } from "pintle/kinds";
import { FIELD_MANAGER } from "../field-manager.ts";
import { buildControllerRef, getControllerOf } from "../shared/owner-reference.ts";

type ObjectWithMetadata = { readonly metadata: Metadata };

const ORPHAN_INDEX = "without a controller";
const getOrphanKeys = (object: ObjectWithMetadata) => (getControllerOf(object) === undefined ? [object.metadata.namespace ?? ""] : []);

/** Indexes the objects without a controller reference by namespace: the candidates for adoption. */
export function indexOrphans<T extends StoredObject>(view: CachedView<T>): (namespace: string | undefined) => readonly T[] {
  view.addIndex(ORPHAN_INDEX, getOrphanKeys);
  return (namespace) => view.byIndex(ORPHAN_INDEX, namespace ?? "");
}

/** Decides by the selector which owned objects the owner keeps and releases, and which orphans it adopts. Pure. */
export function planClaims<T extends ObjectWithMetadata>(
  owner: ObjectWithMetadata,
  selector: LabelSelector | undefined,
  owned: readonly T[],
  orphans: readonly T[],
): { readonly retained: readonly T[]; readonly adopt: readonly T[]; readonly release: readonly T[] } {
  const matcher = compileLabelSelector(selector ?? {});
  const isSelected = ({ metadata }: T) => matcher.matches(metadata.labels);
  const isTerminating = owner.metadata.deletionTimestamp !== undefined;
  return {
    retained: owned.filter(isSelected),
    release: isTerminating ? [] : owned.filter((object) => !isSelected(object)),
    adopt: isTerminating ? [] : orphans.filter((object) => object.metadata.deletionTimestamp === undefined && isSelected(object)),
  };
}

interface ClaimOptions<T> {
  readonly client: Pick<Client, "patch">;
  readonly kind: KindInfo;
  readonly owner: ObjectWithMetadata;
  readonly ownerKind: KindInfo;
  readonly selector: LabelSelector | undefined;
  readonly owned: readonly T[];
  readonly orphans: readonly T[];
  /** Added to adopted objects and removed from released ones. */
  readonly finalizer?: string | undefined;
}

/** Adopts matching orphans and releases owned objects that no longer match. Returns the objects that the owner then controls. */
export async function claimObjects<T extends ObjectWithMetadata>(options: ClaimOptions<T>): Promise<readonly T[]> {
  const { retained, adopt, release } = planClaims(options.owner, options.selector, options.owned, options.orphans);
  if (adopt.length + release.length === 0) return retained;
  for (const object of release) {
    const uid = options.owner.metadata.uid;
    const finalizers = options.finalizer === undefined ? {} : { "$deleteFromPrimitiveList/finalizers": [options.finalizer] };
    await ignoreStaleObject(patch(object, { ...finalizers, ownerReferences: [{ $patch: "delete", uid }] }));
  }
  const adopted: T[] = [];
  for (const object of adopt) {
    const finalizers = options.finalizer === undefined ? {} : { finalizers: [options.finalizer] };
    const patched = await ignoreStaleObject(
      patch(object, { ...finalizers, ownerReferences: [buildControllerRef(options.ownerKind, options.owner)] }),
    );
    if (patched !== undefined) adopted.push(patched as unknown as T);
  }
  return [...retained, ...adopted];

  function patch(object: T, metadata: object): Promise<LiveObject<KindInfo>> {
    const { name, namespace, uid } = object.metadata;
    return options.client.patch(
      options.kind,
      { name, namespace } as never,
      { strategic: { metadata: { uid, ...metadata } } },
      FIELD_MANAGER,
    ) as never;
  }
}

/** Resolves to undefined if the object was deleted or changed in the meantime; the watch event enqueues the owner again. */
async function ignoreStaleObject<T>(patched: Promise<T>): Promise<T | undefined> {
  try {
    return await patched;
  } catch (error) {
    if (error instanceof NotFound || error instanceof Invalid || error instanceof Conflict) return undefined;
    throw error;
  }
}
