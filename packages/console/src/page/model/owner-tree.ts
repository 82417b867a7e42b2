/** Objects by owner, in the order in which a reader meets them: parents before children, the rest as it came. */
import type { ObjectSummary } from "../../protocol.ts";

export interface TreeRow {
  readonly object: ObjectSummary;
  /** From 1. */
  readonly level: number;
  readonly children: number;
  readonly open: boolean;
}

/** `closed`: uids whose children are not shown. */
export function listTree(objects: readonly ObjectSummary[], closed: ReadonlySet<string>): readonly TreeRow[] {
  const uids = new Set(objects.map(({ uid }) => uid));
  const children = new Map<string | undefined, ObjectSummary[]>();
  for (const object of objects) {
    const owner = object.owners.find((uid) => uids.has(uid) && uid !== object.uid);
    const siblings = children.get(owner) ?? [];
    siblings.push(object);
    children.set(owner, siblings);
  }
  const rows: TreeRow[] = [];
  const seen = new Set<string>();
  const visit = (object: ObjectSummary, level: number) => {
    if (seen.has(object.uid)) return;
    seen.add(object.uid);
    const below = children.get(object.uid) ?? [];
    const open = !closed.has(object.uid);
    rows.push({ object, level, children: below.length, open });
    if (open) for (const child of below) visit(child, level + 1);
    else hide(below);
  };
  const hide = (hidden: readonly ObjectSummary[]) => {
    for (const object of hidden) {
      if (seen.has(object.uid)) continue;
      seen.add(object.uid);
      hide(children.get(object.uid) ?? []);
    }
  };
  for (const root of children.get(undefined) ?? []) visit(root, 1);
  // Owners that own each other have no root.
  for (const object of objects) visit(object, 1);
  return rows;
}
