import { readFileSync } from "node:fs";
import path from "node:path";
import { type Command, CommandError, OUTPUT_DESCRIPTION, OUTPUT_OPTION, outputFormatter } from "../../command/index.ts";
import { buildScratchImage, parseImageReference, writeLayout } from "../../image/index.ts";
import { EVIDENCE_DESCRIPTIONS, EVIDENCE_OPTIONS, listBundleComponents, readEvidenceChoice } from "../../supply-chain/index.ts";
import { publishImage } from "../image/publish-image.ts";
import { resolveCatalogFolder } from "./catalog-folder.ts";
import { catalogError, findCatalogProblems } from "./catalog-problems.ts";

/** Where the files are in the image; the label says so to catalogd and opm. */
const CONFIGS_FOLDER = "configs";
const CONFIGS_LABEL = "operators.operatorframework.io.index.configs.v1";

export const catalogBuild: Command = {
  name: "catalog build",
  summary: "Build the image of a catalog without Docker, as an OCI layout or in a registry.",
  usage: "<FOLDER> <IMAGE> [--layout FOLDER] [--push] [--sign] [--sbom] [--insecure-registry] [--output json|yaml]",
  options: {
    layout: { type: "string" },
    push: { type: "boolean" },
    ...EVIDENCE_OPTIONS,
    "insecure-registry": { type: "boolean" },
    ...OUTPUT_OPTION,
  },
  optionDescriptions: {
    layout: "folder for the OCI layout (default: dist/catalog-image)",
    push: "push the image to the registry of IMAGE",
    ...EVIDENCE_DESCRIPTIONS,
    "insecure-registry": "use plain HTTP for the registry of IMAGE",
    ...OUTPUT_DESCRIPTION,
  },
  examples: [
    "pintle catalog build catalog ghcr.io/me/catalog:v1 --push",
    "pintle catalog build catalog ghcr.io/me/catalog:v1 --push --sign --sbom --provenance",
    "pintle catalog build catalog catalog:dev --layout out",
  ],
  maxPositionals: 2,
  async run(args, io) {
    const { values, positionals } = args;
    const output = outputFormatter(args);
    const [given, name] = positionals;
    if (given === undefined || name === undefined) {
      throw new CommandError("PINTLE7002", "name the folder of the catalog and the image. See 'pintle catalog build --help'", 2);
    }
    const startedAt = new Date();
    const choice = await readEvidenceChoice(values, io.cwd);
    const folder = resolveCatalogFolder(io.cwd, given);
    const reference = parseImageReference(name);
    const { listCatalogImages, openCatalogFiles } = await import("@pintle/lifecycle/internal/source");
    const catalog = openCatalogFiles(folder);
    const verdict = await findCatalogProblems(catalog);
    if (verdict !== undefined) throw catalogError("no image was built, the catalog is not valid", verdict);
    const files = catalog.names;
    const entries = files.map((file) => ({ path: `${CONFIGS_FOLDER}/${file}`, mode: 0o644, data: readFileSync(path.join(folder, file)) }));
    const image = buildScratchImage(entries, { [CONFIGS_LABEL]: `/${CONFIGS_FOLDER}` });
    const layout = String(values["layout"] ?? "dist/catalog-image");
    await writeLayout(path.resolve(io.cwd, layout), image, reference.reference);
    const describe = () => ({
      version: reference.reference,
      components: listBundleComponents(new Map(entries.map(({ path, data }) => [path, data])), listCatalogImages(folder, undefined)),
      build: { command: "pintle catalog build", parameters: { image: name }, root: folder, startedAt },
    });
    const { attached, report } = await publishImage({ name, reference, image, evidence: choice && { choice, describe } }, values, io);
    const pushed = values["push"] === true;
    if (output !== undefined) return io.out(output({ image: name, digest: image.root.digest, layout, files, pushed, ...report }));
    io.out(`${name}  ${image.root.digest}\n  ${files.length} files, saved to ${layout}${pushed ? ", pushed" : ""}\n`);
    for (const each of attached) io.out(`  attached ${each}\n`);
  },
};
