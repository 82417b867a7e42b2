import type { CatalogBundle, Property } from "@pintle/lifecycle";
import { type Command, OUTPUT_DESCRIPTION, OUTPUT_OPTION, outputFormatter, withProgress } from "../../command/index.ts";
import { CATALOG_FOLDER } from "./catalog-folder.ts";
import { REGISTRY_DESCRIPTION, REGISTRY_OPTION, withCatalogFolder } from "./catalog-source.ts";

export const catalogSearch: Command = {
  name: "catalog search",
  summary: "Find packages of a catalog by name, description, keyword, kind or image.",
  usage: "[TEXT] [CATALOG] [--insecure-registry] [--output json|yaml]",
  options: { ...REGISTRY_OPTION, ...OUTPUT_OPTION },
  optionDescriptions: { ...REGISTRY_DESCRIPTION, ...OUTPUT_DESCRIPTION },
  examples: [
    "pintle catalog search memcached",
    "pintle catalog search backup ghcr.io/me/catalog:v1",
    'pintle catalog search "" my-catalog -o json',
  ],
  maxPositionals: 2,
  async run(args, io) {
    const output = outputFormatter(args);
    const [text = "", source = CATALOG_FOLDER] = args.positionals;
    const found = await withProgress(
      io,
      `searching ${source}`,
      withCatalogFolder(source, args, io, async (folder) => findPackages(folder, text.toLowerCase())),
    );
    if (output !== undefined) return io.out(output(found));
    if (found.length === 0) {
      io.out(`no package of ${source} matches "${text}"\n`);
      return 1;
    }
    const rows = found.map(({ name, version, defaultChannel, kinds, displayName }) => [
      name,
      version,
      defaultChannel,
      kinds.join(","),
      displayName,
    ]);
    const widths = [0, 1, 2, 3].map((column) => Math.max(HEADER[column]!.length, ...rows.map((row) => row[column]!.length)));
    for (const row of [HEADER, ...rows]) {
      io.out(
        `${row
          .map((cell, i) => (i < widths.length ? cell.padEnd(widths[i]!) : cell))
          .join("  ")
          .trimEnd()}\n`,
      );
    }
  },
};

const HEADER = ["PACKAGE", "VERSION", "CHANNEL", "KINDS", "NAME"];

interface FoundPackage {
  readonly name: string;
  readonly displayName: string;
  readonly description: string;
  readonly defaultChannel: string;
  readonly channels: readonly string[];
  /** The highest version of all channels. */
  readonly version: string;
  readonly versions: number;
  readonly kinds: readonly string[];
  readonly image: string;
}

interface PackageState {
  defaultChannel: string;
  description: string;
  readonly channels: string[];
  readonly texts: Set<string>;
  best?: {
    readonly version: string;
    readonly bundle: Pick<CatalogBundle, "image">;
    readonly displayName: string;
    readonly kinds: readonly string[];
  };
  versions: number;
}

/** Reads the catalog once; of each package the highest version is kept. */
async function findPackages(folder: string, text: string): Promise<readonly FoundPackage[]> {
  const { readCatalogFolder } = await import("@pintle/lifecycle");
  const { compareVersions, parseVersion } = await import("@pintle/lifecycle/internal/versions");
  const isNewer = (a: string, b: string | undefined): boolean => {
    try {
      return b === undefined || compareVersions(parseVersion(a), parseVersion(b)) > 0;
    } catch {
      return false;
    }
  };
  const packages = new Map<string, PackageState>();
  const stateOf = (name: string): PackageState => {
    const known = packages.get(name);
    if (known !== undefined) return known;
    const state: PackageState = { defaultChannel: "", description: "", channels: [], texts: new Set(), versions: 0 };
    packages.set(name, state);
    return state;
  };
  for (const { kind, blob } of readCatalogFolder(folder)) {
    if (kind === "package")
      Object.assign(stateOf(blob.name), { defaultChannel: blob.defaultChannel ?? "", description: blob.description ?? "" });
    else if (kind === "channel") stateOf(blob.package).channels.push(blob.name);
    else if (kind === "bundle") {
      const state = stateOf(blob.package);
      const about = describeBundle(blob.properties ?? []);
      state.versions++;
      for (const word of [...about.texts, blob.image]) if (word.toLowerCase().includes(text)) state.texts.add(text);
      if (isNewer(about.version, state.best?.version)) state.best = { ...about, bundle: { image: blob.image } };
    }
  }
  const all = [...packages].sort(([a], [b]) => (a < b ? -1 : 1));
  return all.flatMap(([name, { best, defaultChannel, description, channels, texts, versions }]): FoundPackage[] => {
    const matches = [name, description, ...channels].some((each) => each.toLowerCase().includes(text)) || texts.has(text);
    if (!matches) return [];
    const { version = "", displayName = "", kinds = [], bundle } = best ?? {};
    return [
      { name, displayName, description, defaultChannel, channels: channels.sort(), version, versions, kinds, image: bundle?.image ?? "" },
    ];
  });
}

function describeBundle(properties: readonly Property[]) {
  const valuesOf = (type: string) =>
    properties.filter((each) => each.type === type).map(({ value }) => value as Record<string, unknown> | null);
  const textOf = (value: unknown) => (typeof value === "string" ? value : "");
  const [metadata] = valuesOf("olm.csv.metadata");
  const keywords = Array.isArray(metadata?.["keywords"]) ? metadata["keywords"].map(textOf) : [];
  const kinds = valuesOf("olm.gvk").map((value) => textOf(value?.["kind"]));
  const displayName = textOf(metadata?.["displayName"]);
  return {
    version: textOf(valuesOf("olm.package")[0]?.["version"]),
    displayName,
    kinds: [...new Set(kinds)].sort(),
    texts: [displayName, textOf(metadata?.["description"]), ...keywords, ...kinds],
  };
}
