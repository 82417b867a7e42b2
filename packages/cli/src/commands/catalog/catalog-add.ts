import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { CatalogBlob } from "@pintle/lifecycle/internal/catalog";
import type { JsonObject } from "pintle/internal/json";
import { isMap, isSeq, type YAMLMap } from "yaml";
import { type Command, CommandError, OUTPUT_DESCRIPTION, OUTPUT_OPTION, outputFormatter, withProgress } from "../../command/index.ts";
import { CATALOG_FOLDER } from "./catalog-folder.ts";
import { catalogError, findCatalogProblems } from "./catalog-problems.ts";
import { parseImageTemplate } from "./catalog-render.ts";
import { imageOptions, REGISTRY_DESCRIPTION, REGISTRY_OPTION } from "./catalog-source.ts";

export const catalogAdd: Command = {
  name: "catalog add",
  summary: "Add a bundle to the files of a catalog: the bundle itself, and its place in channels.",
  usage:
    "<BUNDLE> [FOLDER] [--channel CHANNELS] [--replaces BUNDLE | --skips BUNDLES | --skip-range RANGE] [--image-template TEMPLATE] [--insecure-registry] [--output json|yaml]",
  options: {
    channel: { type: "string" },
    replaces: { type: "string" },
    skips: { type: "string" },
    "skip-range": { type: "string" },
    "image-template": { type: "string" },
    ...REGISTRY_OPTION,
    ...OUTPUT_OPTION,
  },
  optionDescriptions: {
    channel: "channels, separated by commas (default: those that the bundle names)",
    replaces: "the bundle that it upgrades (default: from its CSV, otherwise the head of the channel)",
    skips: "bundles that it skips, separated by commas (default: from its CSV)",
    "skip-range": "versions that it skips (default: from its CSV)",
    "image-template": "the image of a bundle in a folder, with {{.Package}}, {{.Name}} and {{.Version}}",
    ...REGISTRY_DESCRIPTION,
    ...OUTPUT_DESCRIPTION,
  },
  examples: [
    "pintle catalog add ghcr.io/me/shop-bundle:v1.1.0",
    "pintle catalog add bundle my-catalog --image-template 'ghcr.io/me/{{.Package}}-bundle:v{{.Version}}' --channel stable",
  ],
  maxPositionals: 2,
  async run(args, io) {
    const output = outputFormatter(args);
    const { values, positionals } = args;
    const [reference, folderName = CATALOG_FOLDER] = positionals;
    if (reference === undefined) throw new CommandError("PINTLE7002", "name a bundle. See 'pintle catalog add --help'", 2);
    const folder = path.resolve(io.cwd, folderName);
    const { renderReferences } = await import("@pintle/lifecycle/internal/source");
    const render = (migrate: "none" | "all") =>
      renderReferences(
        [reference],
        { ...imageOptions(args, io), migrate, imageName: parseImageTemplate(values["image-template"]) },
        (blobs) => Promise.resolve(blobs.map((blob) => blob.load())),
      );
    const rendered = await withProgress(io, `reading ${reference}`, render("none"));
    const [bundle] = rendered;
    if (bundle === undefined || rendered.length !== 1 || bundle.schema !== "olm.bundle") {
      throw new CommandError("PINTLE7098", `${reference} is not a bundle: name the folder or the image of one`);
    }
    // Package and channel become parts of paths.
    const unsafe = [bundle.package, bundle.name].find((name) => !/^[A-Za-z0-9][\w.+-]*$/.test(name));
    if (unsafe !== undefined) throw new CommandError("PINTLE7099", `${JSON.stringify(unsafe)} is not a name for a package or a bundle`);
    if ((bundle.value["image"] ?? "") === "") {
      throw new CommandError(
        "PINTLE7002",
        `the image of the bundle ${bundle.name} is not known: name it with --image-template, or add the bundle by its image`,
        2,
      );
    }
    const { csvOf, formatBlob, migrateBundle } = await import("@pintle/lifecycle/internal/catalog");
    const csv = csvOf(bundle);
    const annotations = await readAnnotations(reference, args, io);
    const list = (text: string | undefined) =>
      (text ?? "")
        .split(",")
        .map((each) => each.trim())
        .filter((each) => each !== "");
    const given = list(values["channel"] as string | undefined);
    const channels = given.length > 0 ? given : list(annotations.channels);
    if (channels.length === 0) throw new CommandError("PINTLE7002", "the bundle names no channels: name them with --channel", 2);
    const files = new EditedCatalog(folder);
    const changes = await addToChannels(files, {
      bundle,
      channels,
      defaultChannel: annotations.defaultChannel ?? channels[0]!,
      edges: readEdges(csv, values as Readonly<Record<string, string | undefined>>, list),
      isGiven: { replaces: values["replaces"] !== undefined, skips: values["skips"] !== undefined || values["skip-range"] !== undefined },
    });
    const file = `${bundle.package}/${bundle.name}.yaml`;
    if (existsSync(path.join(folder, file)) || (await files.has("olm.bundle", bundle.package, bundle.name))) {
      throw new CommandError(
        "PINTLE7099",
        `the catalog already has the bundle ${bundle.name}: change its version, or remove it from the files`,
      );
    }
    files.set(file, formatBlob(migrateBundle(bundle, "all"), "yaml"));
    const verdict = await files.findProblems();
    if (verdict !== undefined) throw catalogError(`nothing was added: with ${bundle.name} the catalog is not valid`, verdict);
    const written = files.write();
    const answer = { package: bundle.package, bundle: bundle.name, image: bundle.value["image"], channels: changes, files: written };
    if (output !== undefined) return io.out(output(answer));
    io.out(`${bundle.name} added\n`);
    for (const { channel, replaces } of changes) io.out(`  channel ${channel}${replaces === undefined ? "" : `, upgrades ${replaces}`}\n`);
    for (const each of written) io.out(`  ${folderName}/${each}\n`);
  },
};

interface ChannelEdges {
  readonly replaces?: string;
  readonly skips?: readonly string[];
  readonly skipRange?: string;
}

/** The bundles that a bundle upgrades: set by options, otherwise by its CSV. */
function readEdges(
  csv: JsonObject | undefined,
  values: Readonly<Record<string, string | undefined>>,
  list: (text: string | undefined) => readonly string[],
): ChannelEdges {
  const spec = (csv?.["spec"] ?? {}) as { readonly replaces?: string; readonly skips?: readonly string[] };
  const annotations = ((csv?.["metadata"] as JsonObject | undefined)?.["annotations"] ?? {}) as Readonly<Record<string, string>>;
  const replaces = values["replaces"] ?? spec.replaces;
  const skips = values["skips"] === undefined ? spec.skips : list(values["skips"]);
  const skipRange = values["skip-range"] ?? annotations["olm.skipRange"];
  return {
    ...(replaces ? { replaces } : {}),
    ...(skips === undefined || skips.length === 0 ? {} : { skips }),
    ...(skipRange ? { skipRange } : {}),
  };
}

async function readAnnotations(
  reference: string,
  args: Parameters<typeof imageOptions>[0],
  io: Parameters<typeof imageOptions>[1],
): Promise<{ readonly channels?: string; readonly defaultChannel?: string }> {
  const { parseYamlDocument } = await import("@pintle/lifecycle/internal/yaml");
  const file = path.resolve(io.cwd, reference, "metadata/annotations.yaml");
  let found: Readonly<Record<string, string>>;
  if (existsSync(file))
    found = (parseYamlDocument(readFileSync(file, "utf8")) as { annotations?: Record<string, string> } | null)?.annotations ?? {};
  else {
    const { openImage, resolveImage } = await import("@pintle/lifecycle/internal/image");
    const { images, reference: tag } = await openImage(reference, imageOptions(args, io));
    found = (await resolveImage(images, tag)).labels;
  }
  const channels = found["operators.operatorframework.io.bundle.channels.v1"];
  const defaultChannel = found["operators.operatorframework.io.bundle.channel.default.v1"];
  return { ...(channels ? { channels } : {}), ...(defaultChannel ? { defaultChannel } : {}) };
}

interface AddedBundle {
  readonly bundle: CatalogBlob;
  readonly channels: readonly string[];
  readonly defaultChannel: string;
  readonly edges: ChannelEdges;
  readonly isGiven: { readonly replaces: boolean; readonly skips: boolean };
}

/** Adds an entry to every channel; package and channels that do not exist are created. Returns what the bundle upgrades in each. */
async function addToChannels(files: EditedCatalog, { bundle, channels, defaultChannel, edges, isGiven }: AddedBundle) {
  const { parseDocument } = await import("yaml");
  const created: string[] = [];
  if (!(await files.has("olm.package", "", bundle.package)))
    created.push(`schema: olm.package\nname: ${bundle.package}\ndefaultChannel: ${defaultChannel}\n`);
  const changes: { channel: string; replaces?: string }[] = [];
  for (const channel of channels) {
    const found = await files.findChannel(bundle.package, channel);
    const head = found === undefined ? undefined : findHead(found.entries);
    // A bundle without `replaces` and `skips` replaces the head of the channel.
    const follows =
      edges.replaces === undefined && !isGiven.replaces && !isGiven.skips && edges.skips === undefined && edges.skipRange === undefined;
    const replaces = edges.replaces ?? (follows ? head : undefined);
    const isKnown = replaces === undefined || isGiven.replaces || found !== undefined;
    const entry = { name: bundle.name, ...edges, ...(replaces === undefined || !isKnown ? {} : { replaces }) };
    changes.push({ channel, ...(entry.replaces === undefined ? {} : { replaces: entry.replaces }) });
    if (found === undefined) {
      const document = parseDocument(`schema: olm.channel\npackage: ${bundle.package}\nname: ${channel}\n`);
      document.set("entries", document.createNode([entry]));
      created.push(document.toString({ lineWidth: 0 }));
    } else found.add(entry);
  }
  if (created.length > 0) files.append(`${bundle.package}/catalog.yaml`, created);
  return changes;
}

/** The bundle that no other one replaces or skips; undefined if there is not exactly one. */
function findHead(
  entries: readonly { readonly name?: string; readonly replaces?: string; readonly skips?: readonly string[] }[],
): string | undefined {
  const replaced = new Set(entries.flatMap(({ replaces, skips = [] }) => [replaces, ...skips]));
  const heads = entries.flatMap(({ name }) => (name === undefined || replaced.has(name) ? [] : [name]));
  return heads.length === 1 ? heads[0] : undefined;
}

/** The files of a catalog, with changes that are not yet written. Comments and the order of what users wrote stay. */
class EditedCatalog {
  readonly #folder: string;
  readonly #changed = new Map<string, string>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  set(file: string, text: string): void {
    this.#changed.set(file, text);
  }

  append(file: string, documents: readonly string[]): void {
    const target = path.join(this.#folder, file);
    const before = this.#changed.get(file) ?? (existsSync(target) ? readFileSync(target, "utf8") : "");
    const separator = before === "" || before.endsWith("---\n") ? "" : before.endsWith("\n") ? "---\n" : "\n---\n";
    this.set(file, `${before}${separator}${documents.join("---\n")}`);
  }

  async has(schema: string, packageName: string, name: string): Promise<boolean> {
    for (const { located } of await this.#metas()) {
      const { meta } = located;
      if (meta.schema === schema && meta.package === packageName && meta.name === name) return true;
    }
    return false;
  }

  /** Finds the entries of a channel, and how one is added to the file that has it. */
  async findChannel(packageName: string, name: string) {
    for (const { path: file, located } of await this.#metas()) {
      const { meta } = located;
      if (meta.schema !== "olm.channel" || meta.package !== packageName || meta.name !== name) continue;
      const entries = (meta.value?.["entries"] ?? []) as readonly { name?: string; replaces?: string; skips?: readonly string[] }[];
      const { parseAllDocuments } = await import("yaml");
      return {
        entries,
        add: (entry: object) => {
          const target = path.join(this.#folder, file);
          const text = this.#changed.get(file) ?? readFileSync(target, "utf8");
          this.set(file, addEntry(text, parseAllDocuments, name, packageName, entry, file));
        },
      };
    }
    return undefined;
  }

  /** Validates the catalog with the pending changes. */
  async findProblems() {
    const { listCatalogFiles, readChunks } = await import("@pintle/lifecycle/internal/source");
    const existing = existsSync(this.#folder) ? listCatalogFiles(this.#folder) : [];
    return findCatalogProblems({
      names: [...new Set([...existing, ...this.#changed.keys()])],
      read: (name) => {
        const text = this.#changed.get(name);
        return text === undefined ? readChunks(path.join(this.#folder, name)) : [Buffer.from(text)];
      },
    });
  }

  /** Writes what changed. Each file is replaced as a whole. */
  write(): readonly string[] {
    for (const [file, text] of this.#changed) {
      const target = path.join(this.#folder, file);
      mkdirSync(path.dirname(target), { recursive: true });
      writeFileSync(`${target}.new`, text);
      renameSync(`${target}.new`, target);
    }
    return [...this.#changed.keys()].sort();
  }

  async #metas() {
    const { readCatalogMetas } = await import("@pintle/lifecycle");
    return existsSync(this.#folder) ? readCatalogMetas(this.#folder) : [];
  }
}

type ParseAll = typeof import("yaml").parseAllDocuments;

/** Adds an entry to a channel in the text of a file, YAML or JSON. */
function addEntry(text: string, parseAll: ParseAll, name: string, packageName: string, entry: object, file: string): string {
  const isJson = text.trimStart().startsWith("{");
  // A stream of JSON values is not YAML: between them is no separator.
  const documents = parseAll(isJson ? splitJson(text).join("\n---\n") : text);
  if (!Array.isArray(documents)) throw new CommandError("PINTLE7099", `${file} cannot be changed: it is empty`);
  for (const document of documents) {
    const content = document.contents as YAMLMap | null;
    if (
      !isMap(content) ||
      document.get("schema") !== "olm.channel" ||
      document.get("name") !== name ||
      document.get("package") !== packageName
    )
      continue;
    const entries: unknown = document.get("entries");
    const node = document.createNode(entry);
    if (isSeq(entries)) entries.add(node);
    else document.set("entries", document.createNode([entry]));
    if (isJson) return documents.map((each) => `${JSON.stringify(each.toJS(), undefined, 4)}\n`).join("");
    return documents.map((each, i) => each.toString({ lineWidth: 0, directives: i === 0 ? false : null })).join("");
  }
  throw new CommandError("PINTLE7099", `${file} cannot be changed: write the keys of the channel ${name} in lower case`);
}

function splitJson(text: string): readonly string[] {
  const values: string[] = [];
  let [depth, start, inString] = [0, -1, false];
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (inString) {
      if (char === "\\") at++;
      else if (char === '"') inString = false;
    } else if (char === '"') inString = true;
    else if (char === "{" && depth++ === 0) start = at;
    else if (char === "}" && --depth === 0) values.push(text.slice(start, at + 1));
  }
  return values;
}
