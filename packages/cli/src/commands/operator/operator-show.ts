import { type Command, CommandError, OUTPUT_DESCRIPTION, OUTPUT_OPTION, outputFormatter } from "../../command/index.ts";
import { connectToCluster, READ_OPTION_DESCRIPTIONS, READ_OPTIONS } from "../../target-cluster/index.ts";
import { formatTable, requireArgument } from "./operator-options.ts";
import { readCatalogs } from "./read-catalogs.ts";

export const operatorShow: Command = {
  name: "operator show",
  summary: "Show the channels and bundles of a package, and which are deprecated.",
  usage: "PACKAGE [--context NAME] [--kubeconfig FILE] [--output json|yaml]",
  options: { ...READ_OPTIONS, ...OUTPUT_OPTION },
  optionDescriptions: { ...READ_OPTION_DESCRIPTIONS, ...OUTPUT_DESCRIPTION },
  examples: ["pintle operator show memcached", "pintle operator show memcached -o json"],
  maxPositionals: 1,
  async run(args, io) {
    const output = outputFormatter(args);
    const name = requireArgument(args, "package", "show memcached");
    await using cluster = await connectToCluster(args, io);
    const catalogs = await readCatalogs(cluster, name, io.signal);
    const bundles = catalogs.flatMap(({ catalog, content }) =>
      (content?.channels ?? []).flatMap((channel) =>
        channel.entries.map((entry) => {
          const bundle = content!.bundles.find((each) => each.name === entry.name);
          const deprecation = content!.deprecations
            .flatMap(({ entries }) => entries)
            .find(({ reference }) => reference.schema === "olm.bundle" && reference.name === entry.name);
          return {
            catalog: catalog.metadata.name,
            channel: channel.name,
            bundle: entry.name,
            replaces: entry.replaces,
            image: bundle?.image,
            deprecated: deprecation?.message,
          };
        }),
      ),
    );
    if (bundles.length === 0) {
      throw new CommandError(
        "PINTLE7098",
        `no catalog of ${cluster.description} has package ${name}. Find one with 'pintle operator search'`,
      );
    }
    if (output !== undefined) return io.out(output(bundles));
    const rows = bundles.map(({ catalog, channel, bundle, replaces, deprecated }) => [
      catalog,
      channel,
      bundle,
      replaces ?? "-",
      deprecated === undefined ? "" : `deprecated: ${deprecated}`,
    ]);
    io.out(formatTable([["CATALOG", "CHANNEL", "BUNDLE", "REPLACES", "NOTE"], ...rows]));
  },
};
