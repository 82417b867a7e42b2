import { union } from "pintle/merge";
import { compareText, type Owner, type Owners, ownerId, seconds } from "./owners.ts";

const MAX_UPDATERS = 10;

/** No more than ten updaters are told apart: the oldest of a version become one. */
export function withAncientChanges(owners: Owners): Owners {
  const updaters = [...owners].filter(([, owner]) => owner.operation === "Update");
  if (updaters.length <= MAX_UPDATERS) return owners;
  updaters.sort(([a, left], [b, right]) => seconds(left.time) - seconds(right.time) || compareText(a, b));

  const out = new Map(owners);
  const first = new Map<string, string>();
  let surplus = updaters.length - MAX_UPDATERS;
  for (const [id, owner] of updaters) {
    if (surplus <= 0) break;
    const oldest = first.get(owner.apiVersion);
    if (oldest === undefined) {
      first.set(owner.apiVersion, id);
      continue;
    }
    const bucket: Owner = { ...owner, manager: "ancient-changes", subresource: "" };
    const bucketId = ownerId(bucket);
    const before = out.get(bucketId) ?? out.get(oldest)!;
    if (!out.has(bucketId)) out.delete(oldest);
    out.delete(id);
    out.set(bucketId, { ...bucket, set: union(owner.set, before.set) });
    surplus--;
  }
  return out;
}
