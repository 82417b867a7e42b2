import { quoteGoString } from "pintle/internal/go-format";
import { type FieldSetPath, formatPath } from "pintle/internal/merge";
import { ApiError } from "../../status/index.ts";
import { compareStrings, type FieldManager } from "./field-managers.ts";

/** A field that an apply would take from another manager. */
export interface FieldConflict {
  readonly manager: FieldManager;
  readonly path: FieldSetPath;
}

/** A 409 that carries its conflicts, so that callers can filter them. */
export class ApplyConflictError extends ApiError {
  readonly conflicts: readonly FieldConflict[];

  constructor(conflicts: readonly FieldConflict[], message: string) {
    const causes = conflicts.map(({ manager, path }) => ({
      reason: "FieldManagerConflict",
      message: `conflict with ${formatManager(manager)}`,
      field: formatPath(path),
    }));
    super(409, "Conflict", message, { causes });
    this.conflicts = conflicts;
  }
}

export function buildConflictError(found: readonly FieldConflict[]): ApplyConflictError {
  const conflicts = found.toSorted((a, b) => compareStrings(a.manager.id, b.manager.id));
  const [first, second] = conflicts;
  if (first !== undefined && second === undefined) {
    const text = `Apply failed with 1 conflict: conflict with ${formatManager(first.manager)}: ${formatPath(first.path)}`;
    return new ApplyConflictError(conflicts, text);
  }
  const lines: string[] = [];
  for (const [i, { manager, path }] of conflicts.entries()) {
    if (conflicts[i - 1]?.manager.id !== manager.id) lines.push(`conflicts with ${formatManager(manager)}:`);
    lines.push(`- ${formatPath(path)}`);
  }
  return new ApplyConflictError(conflicts, `Apply failed with ${conflicts.length} conflicts: ${lines.join("\n")}`);
}

function formatManager({ manager, operation, apiVersion, subresource }: FieldManager): string {
  const part = subresource === "" ? "" : ` with subresource ${quoteGoString(subresource)}`;
  return `${quoteGoString(manager)}${part}${operation === "Update" ? ` using ${apiVersion}` : ""}`;
}
