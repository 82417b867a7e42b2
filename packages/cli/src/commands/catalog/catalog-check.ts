import { type Command, OUTPUT_DESCRIPTION, OUTPUT_OPTION, outputFormatter, withProgress } from "../../command/index.ts";
import { CATALOG_FOLDER } from "./catalog-folder.ts";
import { catalogError, findCatalogProblems } from "./catalog-problems.ts";
import { REGISTRY_DESCRIPTION, REGISTRY_OPTION, withCatalogFolder } from "./catalog-source.ts";

export const catalogCheck: Command = {
  name: "catalog check",
  summary: "Check a file-based catalog of Operator Lifecycle Manager, with the verdict of opm validate, and the place of every problem.",
  usage: "[CATALOG] [--insecure-registry] [--output json|yaml]",
  options: { ...REGISTRY_OPTION, ...OUTPUT_OPTION },
  optionDescriptions: { ...REGISTRY_DESCRIPTION, ...OUTPUT_DESCRIPTION },
  examples: ["pintle catalog check", "pintle catalog check my-catalog -o json", "pintle catalog check ghcr.io/me/catalog:v1"],
  maxPositionals: 1,
  async run(args, io) {
    const output = outputFormatter(args);
    const [given = CATALOG_FOLDER] = args.positionals;
    const { openCatalogFiles } = await import("@pintle/lifecycle/internal/source");
    const check = withCatalogFolder(given, args, io, (folder) => {
      const files = openCatalogFiles(folder);
      if (files.names.length === 0) io.err(`warning: ${given} has no files of a catalog\n`);
      return findCatalogProblems(files);
    });
    const verdict = await withProgress(io, `checking ${given}`, check);
    if (output !== undefined) {
      io.out(output({ valid: verdict === undefined, ...verdict }));
      return verdict === undefined ? 0 : 1;
    }
    if (verdict !== undefined) throw catalogError("the catalog is not valid", verdict);
    io.out("the catalog is valid\n");
    return 0;
  },
};
