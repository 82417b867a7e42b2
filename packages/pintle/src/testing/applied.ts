import { isObject, type Json, type JsonObject, type KindFacts, UNTYPED } from "../kinds/index.ts";
import { difference, type FieldSet, merge, NONE, OBJECT_META, removeItems, toFieldSet } from "../merge/index.ts";

/** Who owns what, by field manager. */
export type Owners = ReadonlyMap<string, FieldSet>;

/** Server-side apply with force: what the manager said before and does not say now goes, unless somebody else says it too. */
export function applied(kind: KindFacts, live: JsonObject, owners: Owners, manager: string, body: JsonObject) {
  const shape = kind.shape ?? { ...UNTYPED, fields: { metadata: OBJECT_META } };
  const now = toFieldSet(body, shape);
  let gone = difference(owners.get(manager) ?? NONE, now);
  for (const [other, theirs] of owners) if (other !== manager) gone = difference(gone, theirs);
  const merged = merge(live, body, shape);
  const object = withoutNulls(merged, removeItems(merged, gone, shape));
  return { object, owners: new Map([...owners, [manager, now]]) as Owners };
}

/** What has lost its last part is not there; a null that was there before is somebody's value. */
function withoutNulls(before: JsonObject, after: JsonObject): JsonObject {
  const out: Record<string, Json | undefined> = {};
  for (const [key, value] of Object.entries(after)) {
    const was = before[key];
    if (value === null && was !== null) continue;
    out[key] = isObject(value) && isObject(was) ? withoutNulls(was, value) : value;
  }
  return out;
}
