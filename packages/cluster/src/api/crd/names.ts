import type { JsonObject } from "pintle/kinds";
import { equal } from "pintle/merge";
import type { CrdNames } from "../../schema/index.ts";
import { type CrdCondition, condition, withCondition, withStatus } from "./condition.ts";

/** Names that other CRDs of the group have been granted. */
export interface TakenNames {
  readonly resources: ReadonlySet<string>;
  readonly kinds: ReadonlySet<string>;
}

export function namesOf(crd: JsonObject): CrdNames {
  return ((crd["spec"] as JsonObject)["names"] ?? {}) as CrdNames;
}
export function acceptedNames(crd: JsonObject): CrdNames {
  return ((crd["status"] as JsonObject | undefined)?.["acceptedNames"] ?? {}) as CrdNames;
}

export function takenNames(others: readonly JsonObject[]): TakenNames {
  const resources = new Set<string>();
  const kinds = new Set<string>();
  for (const { plural, singular, shortNames, kind, listKind } of others.map(acceptedNames)) {
    for (const name of [plural, singular, ...(shortNames ?? [])]) if (name) resources.add(name);
    for (const name of [kind, listKind]) if (name) kinds.add(name);
  }
  return { resources, kinds };
}

/**
 * The CRD with the names it can have and the two conditions that say so; the same value when nothing is new. Names it
 * has been granted it keeps, and a name that somebody else has does not keep it from the others.
 */
export function withNames(crd: JsonObject, taken: TakenNames, now: string): JsonObject {
  const wanted = namesOf(crd);
  const had = acceptedNames(crd);
  if (equal(wanted as JsonObject, had as JsonObject)) return crd;
  const granted: Record<string, unknown> = { ...had };
  let conflict: { readonly reason: string; readonly message: string } | undefined;
  const ask = (field: "plural" | "singular" | "kind" | "listKind", used: ReadonlySet<string>, reason: string) => {
    const name = wanted[field] ?? "";
    if (name !== had[field] && used.has(name)) conflict = { reason, message: inUse(name) };
    else granted[field] = name;
  };
  ask("plural", taken.resources, "PluralConflict");
  ask("singular", taken.resources, "SingularConflict");
  const clashes = (wanted.shortNames ?? []).filter((name) => !had.shortNames?.includes(name) && taken.resources.has(name));
  if (clashes.length > 0) conflict = { reason: "ShortNamesConflict", message: aggregate(clashes.map(inUse)) };
  else if (wanted.shortNames === undefined) delete granted["shortNames"];
  else granted["shortNames"] = wanted.shortNames;
  ask("kind", taken.kinds, "KindConflict");
  ask("listKind", taken.kinds, "ListKindConflict");
  if (wanted.categories === undefined) delete granted["categories"];
  else granted["categories"] = wanted.categories;

  const accepted: CrdCondition =
    conflict === undefined
      ? { type: "NamesAccepted", status: "True", reason: "NoConflicts", message: "no conflicts found" }
      : { type: "NamesAccepted", status: "False", ...conflict };
  const named = withStatus(crd, { acceptedNames: granted as JsonObject });
  return withCondition(withCondition(named, accepted, now), establishing(crd, conflict === undefined), now);
}

function establishing(crd: JsonObject, accepted: boolean): CrdCondition {
  const before = condition(crd, "Established");
  if (before?.status !== "True" && accepted) {
    return { type: "Established", status: "False", reason: "Installing", message: "the initial names have been accepted" };
  }
  return before ?? { type: "Established", status: "False", reason: "NotAccepted", message: "not all names are accepted" };
}

const inUse = (name: string) => `${JSON.stringify(name)} is already in use`;
const aggregate = (texts: readonly string[]) => (texts.length === 1 ? (texts[0] as string) : `[${texts.join(", ")}]`);
