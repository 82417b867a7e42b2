import { closeSync, openSync, readSync } from "node:fs";
import path from "node:path";
import { type Command, CommandError, OUTPUT_DESCRIPTION, OUTPUT_OPTION, outputFormatter, withProgress } from "../../command/index.ts";
import { CATALOG_FOLDER } from "./catalog-folder.ts";
import { REGISTRY_DESCRIPTION, REGISTRY_OPTION, withCatalogFolder } from "./catalog-source.ts";

export const catalogCheck: Command = {
  name: "catalog check",
  summary: "Check a file-based catalog of Operator Lifecycle Manager, with the verdict of opm validate.",
  usage: "[CATALOG] [--insecure-registry] [--output json|yaml]",
  options: { ...REGISTRY_OPTION, ...OUTPUT_OPTION },
  optionDescriptions: { ...REGISTRY_DESCRIPTION, ...OUTPUT_DESCRIPTION },
  examples: ["pintle catalog check", "pintle catalog check my-catalog -o json", "pintle catalog check ghcr.io/me/catalog:v1"],
  maxPositionals: 1,
  async run(args, io) {
    const output = outputFormatter(args);
    const [given = CATALOG_FOLDER] = args.positionals;
    const problem = await withProgress(io, `checking ${given}`, withCatalogFolder(given, args, io, findCatalogProblem));
    if (output !== undefined) {
      io.out(output({ valid: problem === undefined, ...(problem === undefined ? {} : { problem }) }));
      return problem === undefined ? 0 : 1;
    }
    if (problem !== undefined) throw new CommandError("PINTLE7099", formatProblem(problem));
    io.out("the catalog is valid\n");
    return 0;
  },
};

/** A problem of a catalog; with file and line if a single blob causes it. */
export interface CatalogProblem {
  readonly file?: string;
  readonly line?: number;
  readonly message: string;
}

/** Validates the catalog in a folder. */
export async function findCatalogProblem(folder: string): Promise<CatalogProblem | undefined> {
  const { CatalogFileError, validateCatalogFolder } = await import("@pintle/lifecycle");
  try {
    validateCatalogFolder(folder);
    return undefined;
  } catch (error) {
    if (error instanceof CatalogFileError) {
      return { file: error.path, line: countLines(path.join(folder, error.path), error.offset) + 1, message: error.reason };
    }
    if ((error as { readonly code?: string }).code?.startsWith("PINTLE80")) return { message: (error as Error).message };
    throw error;
  }
}

export function formatProblem({ file, line, message }: CatalogProblem): string {
  return file === undefined ? message : `${file}:${line}: ${message}`;
}

const NEWLINE = 0x0a;

/** Counts the lines before an offset, without reading the file at once. */
function countLines(file: string, offset: number): number {
  const descriptor = openSync(file, "r");
  try {
    const chunk = Buffer.alloc(1 << 16);
    let [at, lines] = [0, 0];
    while (at < offset) {
      const length = readSync(descriptor, chunk, 0, Math.min(chunk.length, offset - at), at);
      if (length === 0) break;
      for (let i = 0; i < length; i++) if (chunk[i] === NEWLINE) lines++;
      at += length;
    }
    return lines;
  } finally {
    closeSync(descriptor);
  }
}
