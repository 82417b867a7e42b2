import type { ObjectIdentity } from "pintle";
import type { ObjectPath } from "../protocol.ts";
import { pathOfKey } from "./object-path.ts";

/** Finds the path of an object that a fact names by kind: from what is known of other objects. */
export interface KindNames {
  /** Learns from a stored object or a commit. */
  learn(key: string, uid: string | undefined, kind?: string, apiVersion?: string): void;
  /** Learns the kind of an object whose path is known by its uid. */
  learnKind(kind: string, uid: string | undefined): void;
  pathOf(identity: ObjectIdentity): ObjectPath | undefined;
  /** The kind of a resource: "Deployment" of "apps/deployments". */
  kindOf(path: ObjectPath): string | undefined;
  /** The group of a custom resource that is known by its plural alone. */
  groupOf(plural: string): string | undefined;
  /** "apps/deployments" of "Deployment". */
  resourceOf(kind: string): string | undefined;
}

const MAX_UIDS = 100_000;

export function createKindNames(): KindNames {
  const byUid = new Map<string, ObjectPath>();
  const byKind = new Map<string, string>();
  const kinds = new Map<string, string>();
  const groups = new Map<string, string>();
  const resourceIn = (path: ObjectPath) => path.split("/", 2).join("/");
  return {
    learn(key, uid, kind, apiVersion) {
      const path = pathOfKey(key, apiVersion || undefined);
      const [group, plural] = path.split("/", 2) as [string, string];
      if (group.includes(".") && key.startsWith(`/registry/${group}/`)) groups.set(plural, group);
      if (uid !== undefined && uid !== "") {
        if (byUid.size >= MAX_UIDS) byUid.clear();
        byUid.set(uid, path);
      }
      if (kind === undefined || kind === "") return;
      byKind.set(kind, resourceIn(path));
      kinds.set(resourceIn(path), kind);
    },
    learnKind(kind, uid) {
      const path = byKind.has(kind) || uid === undefined ? undefined : byUid.get(uid);
      if (path === undefined) return;
      byKind.set(kind, resourceIn(path));
      kinds.set(resourceIn(path), kind);
    },
    pathOf({ kind, namespace, name, uid }) {
      const known = uid === undefined ? undefined : byUid.get(uid);
      if (known !== undefined) return known;
      const resource = byKind.get(kind);
      return resource === undefined ? undefined : `${resource}/${namespace ?? "-"}/${name}`;
    },
    groupOf: (plural) => groups.get(plural),
    kindOf: (path) => kinds.get(resourceIn(path)),
    resourceOf: (kind) => byKind.get(kind),
  };
}
