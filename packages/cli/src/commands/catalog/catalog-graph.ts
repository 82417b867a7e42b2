import type { CatalogChannel, CatalogDeprecations } from "@pintle/lifecycle";
import { type Command, CommandError, OUTPUT_OPTION, outputFormatter } from "../../command/index.ts";
import { CATALOG_FOLDER } from "./catalog-folder.ts";
import { REGISTRY_DESCRIPTION, REGISTRY_OPTION, withCatalogFolder } from "./catalog-source.ts";

export const catalogGraph: Command = {
  name: "catalog graph",
  summary: "Draw the upgrade graph of a package of a catalog, as a Mermaid flowchart or SVG.",
  usage: "[CATALOG] [--package PACKAGE] [--channel CHANNEL] [--insecure-registry] [--output mermaid|svg|json|yaml]",
  options: { package: { type: "string" }, channel: { type: "string" }, ...REGISTRY_OPTION, ...OUTPUT_OPTION },
  optionDescriptions: {
    package: "the package (default: the only one of the catalog)",
    channel: "draw this channel only",
    ...REGISTRY_DESCRIPTION,
    output: "output format: mermaid, svg, json or yaml (default: mermaid)",
  },
  examples: [
    "pintle catalog graph",
    "pintle catalog graph my-catalog --package shop --channel stable > upgrades.mmd",
    "pintle catalog graph ghcr.io/me/catalog:v1 --package shop -o svg > upgrades.svg",
  ],
  maxPositionals: 1,
  async run(args, io) {
    const { values, positionals } = args;
    const drawing = ["mermaid", "svg"].includes(String(values["output"] ?? "mermaid"));
    const output = drawing ? undefined : outputFormatter(args);
    const { formatUpgradeGraph, formatUpgradeGraphSvg, readCatalogFolder } = await import("@pintle/lifecycle");
    const channels: CatalogChannel[] = [];
    const deprecations: CatalogDeprecations[] = [];
    await withCatalogFolder(positionals[0] ?? CATALOG_FOLDER, args, io, (folder) => {
      for (const { kind, blob } of readCatalogFolder(folder)) {
        if (kind === "channel") channels.push(blob);
        if (kind === "deprecations") deprecations.push(blob);
      }
      return Promise.resolve();
    });
    const name = choosePackage(channels, values["package"] as string | undefined);
    const ofPackage = channels.filter((channel) => channel.package === name);
    const wanted = values["channel"];
    const drawn = ofPackage.filter((channel) => wanted === undefined || channel.name === wanted);
    if (drawn.length === 0) {
      const known = ofPackage.map((channel) => channel.name).join(", ");
      throw new CommandError("PINTLE7098", `package ${name} has no channel "${String(wanted)}": its channels are ${known}`);
    }
    if (output !== undefined) return io.out(output(drawn));
    const draw = values["output"] === "svg" ? formatUpgradeGraphSvg : formatUpgradeGraph;
    io.out(
      draw(
        drawn,
        deprecations.filter((each) => each.package === name),
      ),
    );
  },
};

function choosePackage(channels: readonly CatalogChannel[], wanted: string | undefined): string {
  const names = [...new Set(channels.map((channel) => channel.package))].sort();
  if (wanted !== undefined && names.includes(wanted)) return wanted;
  if (wanted === undefined && names.length === 1) return names[0]!;
  const shown = names.length === 0 ? "it has none" : `its packages are ${names.slice(0, 20).join(", ")}${names.length > 20 ? ", ..." : ""}`;
  const problem = wanted === undefined ? "name one package of the catalog with --package" : `the catalog has no package "${wanted}"`;
  throw new CommandError("PINTLE7098", `${problem}: ${shown}`);
}
