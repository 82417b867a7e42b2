import type { PersistentVolume, Pod } from "pintle/kinds/core/v1";
import type { ObjectStore, StoreEntry } from "../../store/index.ts";
import { formatReference, listPodReferences, listVolumeSecrets } from "./referenced-objects.ts";

/** The objects that each node may read, because a pod that is bound to it needs them. */
export interface NodeAccess {
  isReferenced(node: string, resource: string, namespace: string, name: string): boolean;
  stop(): void;
}

/** What one stored object contributes. */
interface Contribution {
  /** References that a node may read directly. */
  readonly node?: string | undefined;
  readonly references: readonly string[];
  /** The claim whose nodes may read `references` too. */
  readonly claim?: string | undefined;
}

const PREFIXES = ["pods", "persistentvolumes", "volumeattachments", "resourceslices"].map((resource) => `/registry/${resource}/`);
const NO_CONTRIBUTION: Contribution = { references: [] };

/**
 * Watches pods, volumes, attachments and resource slices. A change is only noted and takes effect when a node asks: most clusters have no
 * nodes with identities, and pods change often.
 */
export async function watchNodeAccess(store: ObjectStore): Promise<NodeAccess> {
  const changed = new Map<string, StoreEntry | undefined>();
  const contributions = new Map<string, Contribution>();
  /** By reference: how many objects give each node access. */
  const nodes = new CountedSets();
  /** By reference: how many volumes connect it to each claim. */
  const claims = new CountedSets();

  const stops = await Promise.all(
    PREFIXES.map(async (prefix) => {
      const { entries, revision } = await store.range(prefix);
      for (const entry of entries) changed.set(entry.key, entry);
      return store.watch(prefix, revision, ({ type, key, entry }) => {
        if (type === "put") changed.set(key, entry);
        else if (contributions.has(key)) changed.set(key, undefined);
        else changed.delete(key);
      });
    }),
  );

  function count({ node, references, claim }: Contribution, by: 1 | -1): void {
    for (const reference of references) {
      if (node !== undefined) nodes.count(reference, node, by);
      if (claim !== undefined) claims.count(reference, claim, by);
    }
  }
  function update(): void {
    for (const [key, entry] of changed) {
      count(contributions.get(key) ?? NO_CONTRIBUTION, -1);
      const contribution = entry === undefined ? NO_CONTRIBUTION : getContribution(entry);
      count(contribution, 1);
      if (contribution.references.length === 0) contributions.delete(key);
      else contributions.set(key, contribution);
    }
    changed.clear();
  }

  return {
    isReferenced(node, resource, namespace, name) {
      update();
      const reference = formatReference(resource, namespace, name);
      if (nodes.get(reference).has(node)) return true;
      return [...claims.get(reference).keys()].some((claim) => nodes.get(claim).has(node));
    },
    stop() {
      for (const stop of stops) stop();
    },
  };
}

function getContribution(entry: StoreEntry): Contribution {
  const [, , resource = "", ...rest] = entry.key.split("/");
  const own = formatReference(resource, rest.length > 1 ? (rest[0] as string) : "", rest.at(-1) ?? "");
  const object = entry.decodeWithoutManagedFields();
  if (resource === "pods") {
    const pod = object as unknown as Pod;
    const node = pod.spec?.nodeName;
    return node ? { node, references: [...new Set([own, ...listPodReferences(pod)])] } : NO_CONTRIBUTION;
  }
  if (resource === "persistentvolumes") {
    const volume = object as unknown as PersistentVolume;
    const { namespace = "", name = "" } = volume.spec?.claimRef ?? {};
    if (volume.spec?.claimRef === undefined) return NO_CONTRIBUTION;
    const claim = formatReference("persistentvolumeclaims", namespace, name);
    return { claim, references: [...new Set([own, ...listVolumeSecrets(volume)])] };
  }
  const { nodeName } = (object["spec"] ?? {}) as { readonly nodeName?: string };
  return nodeName ? { node: nodeName, references: [own] } : NO_CONTRIBUTION;
}

/** Sets by key whose members are counted, so that a member stays until each of its sources is gone. */
class CountedSets {
  readonly #sets = new Map<string, Map<string, number>>();
  static readonly #EMPTY: ReadonlyMap<string, number> = new Map();

  get(key: string): ReadonlyMap<string, number> {
    return this.#sets.get(key) ?? CountedSets.#EMPTY;
  }

  count(key: string, member: string, by: 1 | -1): void {
    const set = this.#sets.get(key) ?? new Map<string, number>();
    const total = (set.get(member) ?? 0) + by;
    if (total > 0) set.set(member, total);
    else set.delete(member);
    if (set.size > 0) this.#sets.set(key, set);
    else this.#sets.delete(key);
  }
}
