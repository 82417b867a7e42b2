import { type Command, CommandError, OUTPUT_DESCRIPTION, OUTPUT_OPTION, outputFormatter } from "../../command/index.ts";
import { CLUSTER_OPTION_DESCRIPTIONS, CLUSTER_OPTIONS, confirmChange, connectToCluster } from "../../target-cluster/index.ts";
import {
  OPERATOR_FIELD_MANAGER,
  readTimeout,
  requireArgument,
  requireExtension,
  WAIT_DESCRIPTIONS,
  WAIT_OPTIONS,
} from "./operator-options.ts";
import { waitForExtension } from "./wait-for-extension.ts";

export const operatorUpgrade: Command = {
  name: "operator upgrade",
  summary: "Change the version of an extension, and wait until it has rolled out.",
  usage:
    "NAME [--version RANGE | --latest] [--channel CHANNEL[,CHANNEL]] [--force] [--timeout DURATION | --no-wait] [--context NAME] [--kubeconfig FILE] [--yes] [--output json|yaml]",
  options: {
    version: { type: "string" },
    latest: { type: "boolean" },
    channel: { type: "string" },
    force: { type: "boolean" },
    ...WAIT_OPTIONS,
    ...CLUSTER_OPTIONS,
    ...OUTPUT_OPTION,
  },
  optionDescriptions: {
    version: "a version or a range, such as 1.2.0 or 1.x",
    latest: "the highest version that the catalog allows, from now on",
    channel: "take bundles of these channels only",
    force: "allow upgrades and downgrades that the catalog does not declare (upgradeConstraintPolicy SelfCertified)",
    ...WAIT_DESCRIPTIONS,
    ...CLUSTER_OPTION_DESCRIPTIONS,
    ...OUTPUT_DESCRIPTION,
  },
  examples: [
    "pintle operator upgrade memcached --version 1.3.0",
    "pintle operator upgrade memcached --latest",
    "pintle operator upgrade memcached --version 1.1.0 --force      # back to an older version",
  ],
  maxPositionals: 1,
  async run(args, io) {
    const output = outputFormatter(args);
    const timeoutMs = readTimeout(args);
    const name = requireArgument(args, "extension", "upgrade memcached --version 1.3.0");
    const { version, latest, channel, force } = args.values;
    if (version === undefined && latest !== true && channel === undefined && force !== true) {
      throw new CommandError("PINTLE7004", "nothing to change: pass --version RANGE, --latest or --channel", 2);
    }
    if (version !== undefined && latest === true) throw new CommandError("PINTLE7006", "--version and --latest cannot be combined", 2);
    const { ClusterExtensionKind } = await import("@pintle/lifecycle/manager");
    await using cluster = await connectToCluster(args, io);
    const { client } = cluster;
    const before = await requireExtension(cluster, name, io.signal);
    const from = before.status?.install?.bundle.version;
    await confirmChange(
      cluster,
      `change extension ${name}${from === undefined ? "" : ` from version ${from}`} to ${version ?? "the highest"}`,
      args,
      io,
    );
    const catalog = {
      ...(latest === true ? { version: null } : version === undefined ? {} : { version }),
      ...(channel === undefined ? {} : { channels: String(channel).split(",") }),
      upgradeConstraintPolicy: force === true ? "SelfCertified" : "CatalogProvided",
    };
    const patched = await client.patch(
      ClusterExtensionKind,
      { name },
      { merge: { spec: { source: { catalog } } } },
      { fieldManager: OPERATOR_FIELD_MANAGER, signal: io.signal },
    );
    const { generation = 1 } = patched.metadata;
    const report = (line: string) => (output === undefined ? io.out(`${line}\n`) : undefined);
    if (generation === before.metadata.generation) report(`ClusterExtension/${name} unchanged`);
    if (args.values["no-wait"] === true) {
      if (output !== undefined) io.out(output(patched));
      return;
    }
    const resume = `pintle operator upgrade ${name} ${version === undefined ? "--latest" : `--version ${quoteForShell(String(version))}`}${force === true ? " --force" : ""}`;
    const upgraded = await waitForExtension({ client, name, generation, timeoutMs, resume, onProgress: report }, io);
    const { version: has } = upgraded.status!.install!.bundle;
    io.out(output?.(upgraded) ?? `${name} ${from === undefined || from === has ? has : `${from} -> ${has}`} is installed\n`);
  },
};

/** Quotes text that a shell would split or expand. */
function quoteForShell(text: string): string {
  return /^[\w.+-]+$/.test(text) ? text : `"${text}"`;
}
