import { union } from "pintle/merge";
import { compareText, type Owner, type Owners, owner, seconds } from "./owners.ts";

const MAX_UPDATERS = 10;

/** No more than ten updaters are told apart: the oldest of a version become one. */
export function withAncientChanges(owners: Owners): Owners {
  const updaters = owners.filter(({ operation }) => operation === "Update");
  let surplus = updaters.length - MAX_UPDATERS;
  if (surplus <= 0) return owners;
  updaters.sort((a, b) => seconds(a.time) - seconds(b.time) || compareText(a.id, b.id));

  const out = new Map(owners.map((each) => [each.id, each]));
  const oldest = new Map<string, Owner>();
  for (const each of updaters) {
    if (surplus <= 0) break;
    const first = oldest.get(each.apiVersion);
    if (first === undefined) {
      oldest.set(each.apiVersion, each);
      continue;
    }
    const { apiVersion, time, set, fits } = each;
    const bucket = owner({ manager: "ancient-changes", operation: "Update", apiVersion, subresource: "" }, time, set, fits);
    const before = out.get(bucket.id) ?? first;
    if (!out.has(bucket.id)) out.delete(first.id);
    out.delete(each.id);
    out.set(bucket.id, { ...bucket, set: union(set, before.set) });
    surplus--;
  }
  return [...out.values()];
}
