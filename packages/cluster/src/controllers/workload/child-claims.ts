import type { Client } from "pintle/client";
import type { Cache, CachedView } from "pintle/internal/cache";
import type { AnyKind, KindInfo, LabelSelector, Metadata, ObjectOf } from "pintle/kinds";
import { getControllerOf } from "../shared/owner-reference.ts";
import { indexBySelector } from "../shared/selector-index.ts";
import { claimObjects, indexOrphans } from "./controller-ref-manager.ts";

/** An object that selects its children by labels. */
interface SelectingObject {
  readonly metadata: Metadata;
  readonly spec: { readonly selector?: unknown };
}

interface ChildClaimsOptions<O extends KindInfo, C extends KindInfo> {
  readonly owner: O;
  readonly child: C;
  /** Default: `spec.selector`. */
  getSelector?(owner: ObjectOf<O>): LabelSelector | undefined;
  /** Whether an owner may adopt an orphan that its selector matches. Default: always. */
  canAdopt?(owner: ObjectOf<O>, orphan: ObjectOf<C>): boolean;
  /** Added to adopted children and removed from released ones. */
  readonly finalizer?: string | undefined;
}

/** What the controllers of ReplicaSets, ReplicationControllers, Deployments, DaemonSets, StatefulSets and Jobs share: they claim their children by a selector. */
export interface ChildClaims<O extends KindInfo, C extends KindInfo> {
  readonly owners: CachedView<ObjectOf<O>>;
  /** The caches to close with the controller. */
  readonly views: readonly CachedView<any>[];
  /** Enqueues the owners whose selector matches an orphan. */
  readonly watch: { readonly kind: C; by(orphan: ObjectOf<C>): readonly Metadata[] };
  /** Adopts and releases children. Returns those that the owner then controls. */
  claim(client: Pick<Client, "patch">, owner: ObjectOf<O>, owned: readonly ObjectOf<C>[]): Promise<readonly ObjectOf<C>[]>;
}

/** Watches owners and children, and indexes both for `claim`. */
export function createChildClaims<O extends AnyKind, C extends AnyKind>(
  cache: Cache,
  {
    owner: ownerKind,
    child: childKind,
    canAdopt,
    finalizer,
    getSelector = ({ spec }: any) => spec.selector as LabelSelector | undefined,
  }: ChildClaimsOptions<O, C>,
): ChildClaims<O, C> {
  const children = cache.watch(childKind) as CachedView<any>;
  const owners = cache.watch(ownerKind) as CachedView<any>;
  const listOrphans = indexOrphans(children);
  const findOwners = indexBySelector(owners, `${ownerKind.kind} by selector`, (owner: ObjectOf<O>) => getSelector(owner));
  return {
    owners,
    views: [children, owners],
    watch: {
      kind: childKind,
      by: (orphan: { readonly metadata: Metadata }) => {
        const { labels, namespace } = orphan.metadata;
        return getControllerOf(orphan) === undefined ? findOwners(labels, namespace).map(({ metadata }) => metadata) : [];
      },
    },
    claim(client, owner, owned) {
      const { metadata } = owner as SelectingObject;
      const orphans = listOrphans(metadata.namespace).filter((orphan) => canAdopt?.(owner, orphan) ?? true);
      return claimObjects({
        client,
        kind: childKind,
        ownerKind,
        owner: owner as SelectingObject,
        selector: getSelector(owner),
        owned,
        orphans,
        finalizer,
      });
    },
  };
}
