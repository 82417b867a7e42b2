import type { Json, JsonObject } from "../../kinds/index.ts";
import { isJsonEqual } from "../json-equal.ts";
import { blame, type FieldBlame } from "./blame.ts";

/** A commit of an object. */
export interface ObjectCommit {
  readonly type: "put" | "delete";
  readonly revision: number;
  /** Undefined: the object did not exist before. */
  readonly previous?: { readonly value: JsonObject } | undefined;
}

/** A field with its managers, and the revision at which it took its present value; undefined: before the given commits. */
export interface FieldSince extends FieldBlame {
  readonly since: number | undefined;
}

/** Follows the commits of an object, newest first, back from the current value of each field to the commit that wrote it. */
export function blameWithOrigins(current: JsonObject, commits: readonly ObjectCommit[]): readonly FieldSince[] {
  const fields = blame(current);
  const origins = new Map<string, number>();
  const undecided = new Map(fields.map(({ path, value }) => [path, value]));
  for (const { type, revision, previous } of commits) {
    if (type === "delete") break;
    const before =
      previous === undefined ? undefined : new Map<string, Json>(blame(previous.value).map(({ path, value }) => [path, value]));
    for (const [path, value] of undecided) {
      const earlier = before?.get(path);
      if (earlier !== undefined && isJsonEqual(earlier, value)) continue;
      origins.set(path, revision);
      undecided.delete(path);
    }
    if (undecided.size === 0) break;
  }
  return fields.map((field) => ({ ...field, since: origins.get(field.path) }));
}
