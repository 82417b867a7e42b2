import { type Path, pathText, quoted } from "pintle/merge";
import { ApiError } from "../status/index.ts";
import { compareText, type Owner } from "./owners.ts";

/** A field that an apply would take from somebody. */
export interface Conflict {
  readonly owner: Owner;
  readonly path: Path;
}

/** The 409 that carries its conflicts, for those who may overlook some of them. */
export class ConflictError extends ApiError {
  readonly conflicts: readonly Conflict[];

  constructor(conflicts: readonly Conflict[], message: string) {
    const causes = conflicts.map(({ owner, path }) => ({
      reason: "FieldManagerConflict",
      message: `conflict with ${ownerText(owner)}`,
      field: pathText(path),
    }));
    super(409, "Conflict", message, { causes });
    this.conflicts = conflicts;
  }
}

export function conflictError(found: readonly Conflict[]): ConflictError {
  const conflicts = found.toSorted((a, b) => compareText(a.owner.id, b.owner.id));
  const [first, second] = conflicts;
  if (first !== undefined && second === undefined) {
    const text = `Apply failed with 1 conflict: conflict with ${ownerText(first.owner)}: ${pathText(first.path)}`;
    return new ConflictError(conflicts, text);
  }
  const lines: string[] = [];
  for (const [i, { owner, path }] of conflicts.entries()) {
    if (conflicts[i - 1]?.owner.id !== owner.id) lines.push(`conflicts with ${ownerText(owner)}:`);
    lines.push(`- ${pathText(path)}`);
  }
  return new ConflictError(conflicts, `Apply failed with ${conflicts.length} conflicts: ${lines.join("\n")}`);
}

function ownerText({ manager, operation, apiVersion, subresource }: Owner): string {
  const part = subresource === "" ? "" : ` with subresource ${quoted(subresource)}`;
  return `${quoted(manager)}${part}${operation === "Update" ? ` using ${apiVersion}` : ""}`;
}
