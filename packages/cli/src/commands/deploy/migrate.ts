import type { Client } from "pintle/client";
import { MigrationFailed, migrateStoredVersions, type StoredVersionsMigration } from "pintle/internal/resource";
import { CustomResourceDefinition } from "pintle/kinds/apiextensions/v1";
import { type Command, CommandError, OUTPUT_DESCRIPTION, OUTPUT_OPTION, outputFormatter } from "../../command/index.ts";
import { CLUSTER_OPTION_DESCRIPTIONS, CLUSTER_OPTIONS, confirmChange, connectToCluster } from "../../target-cluster/index.ts";

export const migrate: Command = {
  name: "migrate",
  summary: "Rewrite the stored objects of a custom resource in its storage version, so that old versions can be removed.",
  usage: "<kind> [--context NAME] [--kubeconfig FILE] [--yes] [--output json|yaml]",
  options: { ...CLUSTER_OPTIONS, ...OUTPUT_OPTION },
  optionDescriptions: { ...CLUSTER_OPTION_DESCRIPTIONS, ...OUTPUT_DESCRIPTION },
  examples: ["pintle migrate Memcached", "pintle migrate memcacheds.cache.example.com --context prod --yes"],
  maxPositionals: 1,
  async run(args, io) {
    const output = outputFormatter(args);
    const [kind] = args.positionals;
    if (kind === undefined) throw new CommandError("PINTLE7004", "missing kind argument, for example: pintle migrate Memcached", 2);
    await using cluster = await connectToCluster(args, io);
    const definition = await findCrdName(cluster.client, kind, io.signal);
    await confirmChange(cluster, `rewrite all objects of ${definition}`, args, io);
    const progress = (rewritten: number) => {
      if (output === undefined && io.tty && rewritten % 100 === 0) io.err(`${rewritten} rewritten\n`);
    };
    const done = await migrateStoredVersions(cluster.client, definition, { progress, signal: io.signal }).catch((error: unknown) => {
      throw error instanceof MigrationFailed ? new CommandError("PINTLE7064", formatFailures(error)) : error;
    });
    io.out(output === undefined ? `${formatMigration(done)}\n` : output(done));
  },
};

function formatMigration({ definition, version, dropped, rewritten }: StoredVersionsMigration): string {
  if (dropped.length === 0) return `${definition}: all objects are already stored as ${version}`;
  return `${definition}: ${rewritten} objects stored as ${version}; ${dropped.join(", ")} can be removed from the CRD`;
}

function formatFailures({ message, failures }: MigrationFailed): string {
  return [message, ...[...failures].map(([object, error]) => `  ${object}: ${error.message}`)].join("\n");
}

/** Returns the name of the CRD with this name, or whose objects have this kind, plural or short name. */
async function findCrdName(client: Client, kind: string, signal: AbortSignal): Promise<string> {
  const { items } = await client.list(CustomResourceDefinition, { signal });
  const found = items.filter(({ metadata, spec: { names } }) =>
    [metadata.name, names.kind, names.plural, names.singular, ...(names.shortNames ?? [])].some(
      (name) => name?.toLowerCase() === kind.toLowerCase(),
    ),
  );
  const [match, secondMatch] = found;
  if (match === undefined)
    throw new CommandError("PINTLE7063", `the cluster has no custom resource "${kind}". List them with 'kubectl get crds'`);
  if (secondMatch !== undefined)
    throw new CommandError("PINTLE7063", `"${kind}" is ambiguous: use ${found.map(({ metadata }) => metadata.name).join(" or ")}`, 2);
  return match.metadata.name;
}
