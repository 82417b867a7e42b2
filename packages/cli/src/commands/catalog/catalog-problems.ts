import type { CatalogFiles, CatalogProblem } from "@pintle/lifecycle/internal/fbc";
import { CommandError } from "../../command/index.ts";

/** Why a catalog is not valid. */
export interface CatalogVerdict {
  /** What `opm validate` says: the first problem, or a tree of those in upgrade graphs. */
  readonly message: string;
  /** Every problem, with its place. */
  readonly problems: readonly CatalogProblem[];
}

/** Validates a catalog; undefined if it is valid. */
export async function findCatalogProblems(files: CatalogFiles): Promise<CatalogVerdict | undefined> {
  const { CatalogFileError, CatalogValidator, listCatalogProblems } = await import("@pintle/lifecycle/internal/fbc");
  const validator = new CatalogValidator();
  try {
    for (const name of files.names) validator.addFile(name, files.read(name));
    validator.finish();
    return undefined;
  } catch (error) {
    if (!(error as { readonly code?: string }).code?.startsWith("PINTLE80")) throw error;
    return { message: error instanceof CatalogFileError ? error.reason : (error as Error).message, problems: listCatalogProblems(files) };
  }
}

const MAX_SHOWN = 50;
const MAX_LENGTH = 600;

/** An error with a line for each problem. */
export function catalogError(summary: string, { problems }: CatalogVerdict): CommandError {
  const lines = problems.slice(0, MAX_SHOWN).map(({ file, line, message, advice }) => {
    const [shown = ""] = message.split("\n");
    const text = shown.length > MAX_LENGTH ? `${shown.slice(0, MAX_LENGTH)}...` : shown;
    return `  ${file === undefined ? "" : `${file}:${line}: `}${text}${advice === undefined ? "" : `: ${advice}`}`;
  });
  if (problems.length > MAX_SHOWN) lines.push(`  and ${problems.length - MAX_SHOWN} more: -o json lists all`);
  return new CommandError("PINTLE7099", `${summary}:\n${lines.join("\n")}`);
}
