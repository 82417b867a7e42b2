import type { StoredObject } from "../../cache/index.ts";
import { OWNER_UID_LABEL } from "../names.ts";

/**
 * The uids of primary objects that lost a child. Watch streams of different kinds are not ordered: the garbage collector may have deleted the
 * child because its owner is gone, and the event of the owner has not arrived yet. Such an owner is read live before the child is created again.
 */
export interface OwnersInDoubt {
  recordDeletedChild(child: StoredObject): void;
  has(uid: string): boolean;
  /** The owner was read live, or its own deletion was observed. */
  settle(uid: string): void;
}

export function createOwnersInDoubt(): OwnersInDoubt {
  const uids = new Set<string>();
  return {
    recordDeletedChild({ metadata }) {
      const owner = metadata.ownerReferences?.find(({ controller }) => controller === true)?.uid ?? metadata.labels?.[OWNER_UID_LABEL];
      if (owner !== undefined) uids.add(owner);
    },
    has: (uid) => uids.has(uid),
    settle: (uid) => void uids.delete(uid),
  };
}
