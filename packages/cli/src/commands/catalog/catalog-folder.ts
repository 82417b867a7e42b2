import { statSync } from "node:fs";
import path from "node:path";
import { CommandError } from "../../command/index.ts";

/** Where catalogs are by convention. */
export const CATALOG_FOLDER = "catalog";

/** Returns the folder of a catalog, given as an argument; throws if there is none. */
export function resolveCatalogFolder(cwd: string, folder = CATALOG_FOLDER): string {
  const resolved = path.resolve(cwd, folder);
  if (!statSync(resolved, { throwIfNoEntry: false })?.isDirectory()) {
    throw new CommandError("PINTLE7098", `${folder} is not a folder: name the folder with the files of the catalog`);
  }
  return resolved;
}
