import { existsSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import type { CatalogBlob, CatalogFormat } from "@pintle/lifecycle/internal/catalog";
import type { RenderableBlob } from "@pintle/lifecycle/internal/source";
import { type Command, CommandError, type Io, withProgress } from "../../command/index.ts";
import { imageOptions, REGISTRY_DESCRIPTION, REGISTRY_OPTION } from "./catalog-source.ts";

export const catalogRender: Command = {
  name: "catalog render",
  summary: "Print the blobs of catalogs, bundles and templates, as opm render and opm alpha render-template do.",
  usage: "<REFERENCE>... [--output json|yaml] [--migrate-level LEVEL] [--image-template TEMPLATE] [--type TYPE] [--insecure-registry]",
  options: {
    output: { type: "string", short: "o" },
    "migrate-level": { type: "string" },
    "image-template": { type: "string" },
    type: { type: "string" },
    ...REGISTRY_OPTION,
  },
  optionDescriptions: {
    output: "output format: json or yaml (default: json)",
    "migrate-level": "how far bundles are migrated: none, bundle-object-to-csv-metadata or all (default: none)",
    "image-template": "the image of a bundle in a folder, with {{.Package}}, {{.Name}} and {{.Version}}",
    type: "the type of a template: basic, semver or substitutes (default: by its schema)",
    ...REGISTRY_DESCRIPTION,
  },
  examples: [
    "pintle catalog render bundle --image-template 'ghcr.io/me/{{.Package}}-bundle:v{{.Version}}' --migrate-level all",
    "pintle catalog render semver-template.yaml -o yaml > catalog/shop/catalog.yaml",
    "pintle catalog render ghcr.io/me/catalog:v1 oci:dist/bundle-image",
  ],
  maxPositionals: 1_000,
  async run(args, io) {
    const { values, positionals } = args;
    if (positionals.length === 0) throw new CommandError("PINTLE7002", "name what to render. See 'pintle catalog render --help'", 2);
    const format = parseFormat(values["output"]);
    const { MIGRATION_LEVELS, TEMPLATE_TYPES } = await import("@pintle/lifecycle/internal/catalog");
    const migrate = parseChoice("migrate-level", values["migrate-level"], MIGRATION_LEVELS) ?? "none";
    const type = parseChoice("type", values["type"], Object.keys(TEMPLATE_TYPES) as (keyof typeof TEMPLATE_TYPES)[]);
    const options = { ...imageOptions(args, io), migrate, imageName: parseImageTemplate(values["image-template"]) };
    const { renderReferences, renderTemplateText } = await import("@pintle/lifecycle/internal/source");
    if (positionals[0] === "-" || type !== undefined) {
      const [file = "-"] = positionals;
      if (file !== "-" && !statSync(path.resolve(io.cwd, file), { throwIfNoEntry: false })?.isFile()) throw notFound(file);
      const text = readFileSync(file === "-" ? 0 : path.resolve(io.cwd, file), "utf8");
      const blobs = await withProgress(io, "rendering", renderTemplateText(text, options, type));
      return print(blobs, format, io);
    }
    // Such a name could be an image of Docker Hub, but hardly is one.
    const missing = positionals.find((name) => !/[:/]/.test(name) && !existsSync(path.resolve(io.cwd, name)));
    if (missing !== undefined) throw notFound(missing);
    await withProgress(
      io,
      "rendering",
      renderReferences(positionals, options, (blobs) => print(blobs, format, io)),
    );
  },
};

const notFound = (name: string) =>
  new CommandError(
    "PINTLE7098",
    `${name} not found: name the folder of a catalog or a bundle, the file of a template, or an image with its registry`,
  );

/** Prints blob by blob: a catalog may be larger than memory. */
async function print(blobs: readonly (CatalogBlob | RenderableBlob)[], format: CatalogFormat, io: Io): Promise<void> {
  const { formatBlob } = await import("@pintle/lifecycle/internal/catalog");
  let pending = "";
  for (const blob of blobs) {
    io.signal.throwIfAborted();
    pending += formatBlob("load" in blob ? blob.load() : blob, format);
    if (pending.length < 1 << 20) continue;
    io.out(pending);
    pending = "";
    // Lets the reader of a pipe catch up.
    await new Promise((resolve) => setImmediate(resolve));
  }
  if (pending !== "") io.out(pending);
}

export function parseFormat(value: string | boolean | undefined): CatalogFormat {
  if (value === undefined || value === "json" || value === "yaml") return value ?? "json";
  throw new CommandError("PINTLE7005", `invalid --output "${value}": must be json or yaml`, 2);
}

export function parseChoice<T extends string>(option: string, value: string | boolean | undefined, choices: readonly T[]): T | undefined {
  if (value === undefined || (choices as readonly unknown[]).includes(value)) return value as T | undefined;
  throw new CommandError(
    "PINTLE7005",
    `invalid --${option} "${value}": must be ${choices.slice(0, -1).join(", ")} or ${choices.at(-1)}`,
    2,
  );
}

/** Returns a function that fills in a template such as `ghcr.io/me/{{.Package}}:v{{.Version}}`. */
export function parseImageTemplate(template: string | boolean | undefined) {
  if (typeof template !== "string") return undefined;
  const unknown = template.replaceAll(/\{\{\s*\.(Package|Name|Version)\s*\}\}/g, "").match(/\{\{[^{}]*\}\}/)?.[0];
  if (unknown !== undefined) {
    throw new CommandError("PINTLE7005", `invalid --image-template: ${unknown} is not {{.Package}}, {{.Name}} or {{.Version}}`, 2);
  }
  return (bundle: { readonly package: string; readonly name: string; readonly version: string }) =>
    template.replaceAll(
      /\{\{\s*\.(Package|Name|Version)\s*\}\}/g,
      (_, field: string) => bundle[field.toLowerCase() as keyof typeof bundle],
    );
}
