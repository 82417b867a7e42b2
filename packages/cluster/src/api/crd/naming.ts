import { isJsonEqual } from "pintle/internal/merge";
import type { JsonObject } from "pintle/kinds";
import type { CrdNames } from "../../schema/crd/index.ts";
import { type CrdCondition, findCondition, mergeStatus, setCondition } from "./conditions.ts";

/** Names that other CRDs of the group have. */
export interface TakenNames {
  readonly resources: ReadonlySet<string>;
  readonly kinds: ReadonlySet<string>;
}

export function getSpecNames(crd: JsonObject): CrdNames {
  return ((crd["spec"] as JsonObject)["names"] ?? {}) as CrdNames;
}
export function getAcceptedNames(crd: JsonObject): CrdNames {
  return ((crd["status"] as JsonObject | undefined)?.["acceptedNames"] ?? {}) as CrdNames;
}

export function collectTakenNames(others: readonly JsonObject[]): TakenNames {
  const resources = new Set<string>();
  const kinds = new Set<string>();
  for (const { plural, singular, shortNames, kind, listKind } of others.map(getAcceptedNames)) {
    for (const name of [plural, singular, ...(shortNames ?? [])]) if (name) resources.add(name);
    for (const name of [kind, listKind]) if (name) kinds.add(name);
  }
  return { resources, kinds };
}

/**
 * Returns the CRD with the names it can have and the conditions NamesAccepted and Established; the same value if nothing changed.
 * A CRD keeps its accepted names, and gets the other names even if one is taken.
 */
export function acceptNames(crd: JsonObject, taken: TakenNames, now: string): JsonObject {
  const wanted = getSpecNames(crd);
  const had = getAcceptedNames(crd);
  if (isJsonEqual(wanted as JsonObject, had as JsonObject)) return crd;
  const granted: Record<string, unknown> = { ...had };
  let conflict: { readonly reason: string; readonly message: string } | undefined;
  const accept = (field: "plural" | "singular" | "kind" | "listKind", used: ReadonlySet<string>, reason: string) => {
    const name = wanted[field] ?? "";
    if (name !== had[field] && used.has(name)) conflict = { reason, message: formatInUse(name) };
    else granted[field] = name;
  };
  accept("plural", taken.resources, "PluralConflict");
  accept("singular", taken.resources, "SingularConflict");
  const clashes = (wanted.shortNames ?? []).filter((name) => !had.shortNames?.includes(name) && taken.resources.has(name));
  if (clashes.length > 0) conflict = { reason: "ShortNamesConflict", message: formatAggregate(clashes.map(formatInUse)) };
  else if (wanted.shortNames === undefined) delete granted["shortNames"];
  else granted["shortNames"] = wanted.shortNames;
  accept("kind", taken.kinds, "KindConflict");
  accept("listKind", taken.kinds, "ListKindConflict");
  if (wanted.categories === undefined) delete granted["categories"];
  else granted["categories"] = wanted.categories;

  const accepted: CrdCondition =
    conflict === undefined
      ? { type: "NamesAccepted", status: "True", reason: "NoConflicts", message: "no conflicts found" }
      : { type: "NamesAccepted", status: "False", ...conflict };
  const named = mergeStatus(crd, { acceptedNames: granted as JsonObject });
  return setCondition(setCondition(named, accepted, now), buildEstablishedCondition(crd, conflict === undefined), now);
}

function buildEstablishedCondition(crd: JsonObject, accepted: boolean): CrdCondition {
  const before = findCondition(crd, "Established");
  if (before?.status !== "True" && accepted) {
    return { type: "Established", status: "False", reason: "Installing", message: "the initial names have been accepted" };
  }
  return before ?? { type: "Established", status: "False", reason: "NotAccepted", message: "not all names are accepted" };
}

const formatInUse = (name: string) => `${JSON.stringify(name)} is already in use`;
const formatAggregate = (texts: readonly string[]) => (texts.length === 1 ? (texts[0] as string) : `[${texts.join(", ")}]`);
