import { type Command, OUTPUT_DESCRIPTION, OUTPUT_OPTION, outputFormatter } from "../../command/index.ts";
import { connectToCluster, READ_OPTION_DESCRIPTIONS, READ_OPTIONS } from "../../target-cluster/index.ts";
import { formatTable } from "./operator-options.ts";
import { readCatalogs } from "./read-catalogs.ts";

export const operatorSearch: Command = {
  name: "operator search",
  summary: "List the packages of the catalogs of a cluster.",
  usage: "[WORD] [--context NAME] [--kubeconfig FILE] [--output json|yaml]",
  options: { ...READ_OPTIONS, ...OUTPUT_OPTION },
  optionDescriptions: { ...READ_OPTION_DESCRIPTIONS, ...OUTPUT_DESCRIPTION },
  examples: ["pintle operator search", "pintle operator search cache"],
  maxPositionals: 1,
  async run(args, io) {
    const output = outputFormatter(args);
    const word = (args.positionals[0] ?? "").toLowerCase();
    await using cluster = await connectToCluster(args, io);
    const catalogs = await readCatalogs(cluster, undefined, io.signal);
    const found = catalogs.flatMap(({ catalog, content }) =>
      (content?.packages ?? [])
        .filter(({ name, description = "" }) => name.includes(word) || description.toLowerCase().includes(word))
        .map(({ name, defaultChannel, description }) => ({
          name,
          catalog: catalog.metadata.name,
          defaultChannel,
          channels: content!.channels.filter((channel) => channel.package === name).map((channel) => channel.name),
          bundles: content!.bundles.filter((bundle) => bundle.package === name).length,
          description,
        })),
    );
    for (const { catalog, problem } of catalogs) if (problem !== undefined) io.err(`catalog ${catalog.metadata.name}: ${problem}\n`);
    if (output !== undefined) return io.out(output(found));
    if (found.length === 0) {
      return io.out(catalogs.length === 0 ? "the cluster has no ClusterCatalog\n" : `no package matches "${word}"\n`);
    }
    const rows = found.map((each) => [each.name, each.catalog, each.defaultChannel ?? "-", String(each.bundles), each.channels.join(",")]);
    io.out(formatTable([["PACKAGE", "CATALOG", "DEFAULT", "BUNDLES", "CHANNELS"], ...rows]));
  },
};
